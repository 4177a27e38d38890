"""Addresses of explanations."""

from django.urls import path

from sales.learning import views

urlpatterns = [
    path("", views.learn, name="learn"),
    path("<slug:slug>/", views.learn_topic, name="learn-topic"),
]
