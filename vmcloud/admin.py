"""People, groups and secrets have pages and commands of their own: the admin site would get round their rules."""

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django_otp.plugins.otp_totp.models import TOTPDevice

for model in (User, Group, TOTPDevice):
    admin.site.unregister(model)
