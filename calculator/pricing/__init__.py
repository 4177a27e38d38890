"""Pages on which people change prices: files and their comparison, approval, application, rollback, history."""
