"""Pages of logging in, of one's own account, and of people."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from vmcloud.accounts import attempts, forms, people, secondfactor
from vmcloud.accounts.guards import signed_in, superusers_only


def to(name: str, *args: object) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse(name, args=args), status=303)


def _posted(request: HttpRequest) -> QueryDict | None:
    """What a form is bound to; an empty POST is a form that was sent empty."""
    return request.POST if request.method == "POST" else None


def _me(request: HttpRequest) -> User:
    """The person behind a view that `signed_in` guards."""
    assert isinstance(request.user, User)
    return request.user


@sensitive_post_parameters("password", "code")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Name, password and, of those who chose it, a code; what is wrong comes back as a sentence."""
    if request.method != "POST":
        return _sign_in_page(request, forms.SignInForm(request), 200)
    form = forms.SignInForm(request, request.POST)
    if attempts.is_too_many(form.name_typed(), attempts.client_address(request)):
        return locked_out(request)
    if not form.is_valid():
        return _sign_in_page(request, form, 422)
    login(request, form.get_user())
    return HttpResponseRedirect(_next(request), status=303)


def _sign_in_page(request: HttpRequest, form: forms.SignInForm, status: int) -> HttpResponse:
    context = {"form": form, "next": request.POST.get("next", request.GET.get("next", ""))}
    return render(request, "registration/login.html", context, status=status)


def _next(request: HttpRequest) -> str:
    """Where the person wanted to go, when that is a page of this site."""
    wanted = request.POST.get("next", "")
    hosts, secure = {request.get_host()}, request.is_secure()
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=hosts, require_https=secure)
    return wanted if is_ours else resolve_url(settings.LOGIN_REDIRECT_URL)


def locked_out(request: HttpRequest, *ignored: object) -> HttpResponse:
    """Too many failures: said with the same words whether the name exists or not. axes calls it, and the rate limit."""
    response = render(request, "registration/locked.html", {"minutes": settings.LOGIN_LOCK_MINUTES}, status=429)
    response.headers["Retry-After"] = str(int(settings.AXES_COOLOFF_TIME.total_seconds()))
    return response


@require_GET
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """The admin site has no login of its own: it would know neither the second factor nor our page."""
    query = request.GET.urlencode()
    return HttpResponseRedirect(f"{reverse('login')}?{query}" if query else reverse("login"))


@require_safe
@signed_in
def account(request: HttpRequest) -> HttpResponse:
    """One's own account: groups, password, second factor."""
    context = {"person": people.find(_me(request).pk), "pending": secondfactor.pending(_me(request))}
    return render(request, "accounts/account.html", context)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def password_change(request: HttpRequest) -> HttpResponse:
    """A new password for oneself; this session goes on under a new key, all others end."""
    form = PasswordChangeForm(_me(request), _posted(request))
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/password.html", {"form": form}, status=422 if form.is_bound else 200)
    update_session_auth_hash(request, form.save())
    messages.success(request, _("Mot de passe changé ; les autres sessions sont fermées."))
    return to("account")


@require_POST
@signed_in
def factor_begin(request: HttpRequest) -> HttpResponse:
    """A new secret to scan. One in force is turned off first, by its code: an open session alone replaces none."""
    if secondfactor.is_on(_me(request)):
        return to("factor-off")
    secondfactor.begin(_me(request))
    return to("factor")


@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def factor(request: HttpRequest) -> HttpResponse:
    """The secret that waits, as a picture and as text; its first code turns the second factor on."""
    device = secondfactor.pending(_me(request))
    if device is None or secondfactor.is_on(_me(request)):
        return to("account")
    form = forms.CodeForm(_posted(request))
    if form.is_valid() and secondfactor.confirm(_me(request), form.cleaned_data["code"]):
        messages.success(request, _("Second facteur activé : un code sera demandé à chaque connexion."))
        return to("account")
    if form.is_bound and form.is_valid():
        form.add_error("code", _("Ce code n’est pas, ou plus, le bon. Attendez le suivant."))
    context = {"form": form, "picture": secondfactor.picture(device), "key": secondfactor.key_text(device)}
    return render(request, "accounts/factor.html", context, status=422 if form.is_bound else 200)


@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def factor_off(request: HttpRequest) -> HttpResponse:
    """Turned off by a code of the moment, so that an open session alone does not suffice."""
    form = forms.CodeForm(_posted(request))
    if form.is_valid() and secondfactor.fits(_me(request), form.cleaned_data["code"]):
        secondfactor.turn_off(_me(request))
        messages.success(request, _("Second facteur désactivé."))
        return to("account")
    if form.is_bound and form.is_valid():
        form.add_error("code", _("Ce code n’est pas, ou plus, le bon. Attendez le suivant."))
    return render(request, "accounts/factor_off.html", {"form": form}, status=422 if form.is_bound else 200)


@require_safe
@superusers_only
def people_list(request: HttpRequest) -> HttpResponse:
    """Everybody who has an account, and what each group is for."""
    return render(request, "accounts/people.html", {"people": people.listed(), "roles": forms.role_lines()})


@require_http_methods(["GET", "HEAD", "POST"])
@superusers_only
def person_new(request: HttpRequest) -> HttpResponse:
    """A new account without a password; its page then shows the link to choose one."""
    form = forms.NewPersonForm(_posted(request))
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/person_new.html", {"form": form}, status=422 if form.is_bound else 200)
    user = people.create(form.cleaned_data["username"], form.wanted(), request.user.get_username())
    return to("person", user.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@superusers_only
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """One account: groups, active or not; while it has no password, the link to choose one."""
    found = people.find(pk)
    if found is None:
        raise Http404(str(pk))
    form = forms.PersonForm(_posted(request), initial=forms.filled(found))
    if form.is_valid():
        try:
            people.change(pk, form.wanted(), request.user.get_username())
        except people.LastSuperuserError:
            form.add_error(None, _("C’est le dernier superutilisateur actif : plus personne ne gérerait les comptes."))
        else:
            messages.success(request, _("Compte enregistré."))
            return to("people")
    link = None if found.has_password else request.build_absolute_uri(people.password_link(found.user))
    context = {"person": found, "form": form, "link": link}
    return render(request, "accounts/person.html", context, status=422 if form.is_bound else 200)


@require_POST
@superusers_only
def person_password(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw a password; the page of the account then shows the link to a new one."""
    if people.find(pk) is None:
        raise Http404(str(pk))
    try:
        people.withdraw_password(pk, request.user.get_username())
    except people.LastSuperuserError:
        messages.error(request, _("C’est le dernier superutilisateur actif : plus personne ne gérerait les comptes."))
    return to("person", pk)
