"""Addresses of login, of one's own account, and of people."""

from django.contrib.auth import views as auth
from django.urls import path, reverse_lazy

from vmcloud.accounts import views

set_password = auth.PasswordResetConfirmView.as_view(
    template_name="accounts/set_password.html", success_url=reverse_lazy("login")
)

urlpatterns = [
    path("login/", views.sign_in, name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("account/", views.account, name="account"),
    path("account/password", views.password_change, name="password"),
    path("account/factor/begin", views.factor_begin, name="factor-begin"),
    path("account/factor", views.factor, name="factor"),
    path("account/factor/off", views.factor_off, name="factor-off"),
    path("account/set/<uidb64>/<token>/", set_password, name="set-password"),
    path("people/", views.people_list, name="people"),
    path("people/new", views.person_new, name="person-new"),
    path("people/<int:pk>", views.person, name="person"),
    path("people/<int:pk>/password", views.person_password, name="person-password"),
    path("admin/login/", views.admin_sign_in, name="admin-sign-in"),
    path("admin/password_change/", views.password_change, name="admin-password"),
]
