import type { ErrorName } from '#client/functions'

/** Sign-in, payments and quota, and the key directory. */
export const ACCOUNTS = {
  sign_in_rejected:
    'A wrong password, an unknown name and an answer that came too late look the same. Begin again: a login has [one attempt, within two minutes](/developer/auth#passwords-opaque), and so has a [passkey](/developer/auth#passkeys).',
  passkey_rejected:
    'Request new `options` and let the browser create the passkey at once, on a page of an allowed origin and not in a frame of another site. Send the `toJSON` of the credential without results of PRF: see [Passkeys](/developer/auth#passkeys).',
  provider_rejected:
    'Begin again from your page: a redirect to the [provider](/developer/auth#identity-providers) is valid for ten minutes and for one return, in the same browser. If it happens every time, the operator checks the [client at the provider](/developer/operating#setting-up-a-provider).',
  provider_disabled:
    'Offer another way to sign in. The operator [sets up a provider](/developer/operating#setting-up-a-provider) with a client id and secret. A local start plays both providers itself.',
  invite_decided:
    'For the operator: `scripts/admin invites list` shows what was decided. To decide anew, forget the request with `scripts/admin invites forget`, and let the person [ask again](/developer/account#asking-for-an-invitation).',
  invite_under_way:
    'For the operator: wait a minute, and look with `scripts/admin invites list`. An interrupted [decision](/developer/operating#invitations) is carried out by the next act that says the same, or within the hour.',
  invite_unreadable:
    'For the operator: restore [`INVITE_SEED`](/developer/operating#secrets) if you have it. Otherwise delete the request with `scripts/admin invites forget`; the person can ask again.',
  code_unusable:
    'Check the code for typing errors; each works once and for a limited time, and the answer does not say which of these it was. Ask for a new [activation code](/developer/account#redeeming-a-code), [one-time code](/developer/inbox#requesting-another-code) or [grant](/developer/auth#grants).',
  account_exists:
    'Let the person [sign in](/developer/auth#identity-providers) to the account that is there, and add the passkey in that session. Without a password and passkey, a new ticket gives a grant to [recover](/developer/auth#recovering-an-account) it.',
  passkey_exists:
    'Let the person sign in with it: this authenticator already has a [passkey](/developer/auth#passkeys) here.',
  passkey_limit: 'Remove one of the 20 [passkeys](/developer/auth#passkeys) first, in a session of the account.',
  last_credential:
    'Add another [passkey](/developer/auth#passkeys) first. To end the account, [delete it](/developer/auth#deleting-an-account).',
  quota_exhausted:
    'Wait for the next calendar month (UTC), or [get a higher tier](/developer/pay#offers). The body has `kind`, `used`, `limit` and `tier`, and `client.quota.meters()` shows all [meters](/developer/pay#quota).',
  meter_internal:
    'Use `video`, `text` or `search` for the work of your application. Only provenance counts [`capsule`](/developer/pay#quota), when it registers something.',
  idempotency_conflict:
    'Use a new key for a new request, and send a repeated one exactly as before: see [Paying](/developer/pay#paying), [Quota](/developer/pay#quota) and [Reserving](/developer/keys#reserving). A reversal cannot be more than was counted.',
  quota_reversed:
    'Nothing to do if you wanted to take it back. To count the use again, consume with a new `key`: see [Quota](/developer/pay#quota).',
  quota_key_limit:
    'Wait until the month is over, when [keys](/developer/limits#payments-and-quota) are forgotten, and count several units with one key.',
  reservation_ended:
    'Reserve again, with a new key. For prekeys, a [reservation](/developer/keys#reserving) is answered again for 24 hours.',
  unknown_sku:
    'List what is sold with `GET /pay/offer`, or `client.pay.offers()`: see [Offers](/developer/pay#offers).',
  sku_not_payable:
    'Choose another [offer](/developer/pay#offers): free ones need no payment, and individually arranged ones go through the operator. A subscription can only be changed to a subscription.',
  intent_limit:
    'Cancel open payments with `client.pay.cancel(id)`, or wait until their pages expire: see [limits](/developer/limits#payments-and-quota).',
  intent_pending:
    'Wait until the other payment is paid or has failed, and read it with `client.pay.readIntent(id)`: see [What cannot be bought twice](/developer/pay#what-cannot-be-bought-twice).',
  intent_state:
    'Read the payment: only an open one can be cancelled. For money back, see [When money goes back](/developer/pay#when-money-goes-back).',
  already_subscribed:
    'Do one of `details.ways`: `change` the plan, `stack` a pass after its end, or `wait` until `details.until`. See [What cannot be bought twice](/developer/pay#what-cannot-be-bought-twice).',
  higher_tier:
    'You have more than you want to buy. Do one of `details.ways`: `change` the plan of the subscription, or `wait` until `details.until`. See [What cannot be bought twice](/developer/pay#what-cannot-be-bought-twice).',
  change_refused:
    'Nothing changed and nothing was charged. Check the payment method at the provider; a price in another currency needs a new subscription [after the period](/developer/pay#changing-a-subscription).',
  payments_unavailable:
    'Only the operator can change this, by [setting up Stripe](/developer/pay#setting-up-stripe). [Codes](/developer/pay#codes) and licences still work.',
  event_not_understood:
    'For the operator: list the event with `scripts/admin dead-letters`, fix the cause, and apply it with `replay-event`. See [Events that are not understood](/developer/pay#events-that-are-not-understood).',
  package_mismatch:
    'Use one `accountDid`, `deviceId` and device key in the path, credential, package and prekeys, and sign the credential with the `inception` of the package or a newer event: see [Publishing](/developer/keys#publishing).',
  device_unattested:
    'Let the root key [attest the device](/developer/devices#attestation) at core, or resume it; then repeat the request. A suspended or expired device does not count.',
  stale_package:
    'Take the newest version from `GET …/devices/{deviceId}`: a package needs a [higher one](/developer/keys#publishing), and a revocation names [exactly it](/developer/keys#revoking). `inception` must not be older than in earlier updates of the device.',
  package_revoked:
    'Do not use keys of this package. The device has to [publish](/developer/keys#publishing) a new one, with a higher version, before anybody can reserve its prekeys.',
  one_time_required:
    'Set `fallbackPolicy` to `one-time-required` for the profile `bound-v4`: see [Reserving](/developer/keys#reserving).',
  prekeys_exhausted:
    'Try again later, or ask the owner to upload more. Strangers may get none: the account decides [who may reserve](/developer/keys#who-may-reserve).',
  prekey_reused:
    'Make new prekeys: each is published once. If you lost an answer, send the same [batch](/developer/keys#prekeys) again, which adds nothing.',
  prekey_limit:
    'Upload fewer: at most 500 one-time [prekeys](/developer/keys#prekeys) of a profile and suite can be waiting. Upload more when some were reserved.',
  reservation_limit:
    'Keep the prekeys that you reserved, and wait: the limit is for [24 hours](/developer/keys#reserving). The owner can make you a [contact](/developer/keys#who-may-reserve), who counts apart from strangers.',
  guardian_self: 'Name other identities as [guardians](/developer/guardians): you cannot vouch for yourself.',
  guardian_attested: 'Nothing to do: the first [attestation](/developer/guardians) counts.',
  guardian_closed: 'Ask the owner to open a new [request](/developer/guardians), and attest before its `expiresAt`.',
  guardian_limit:
    'Wait until one of the 20 open [requests](/developer/guardians) has expired, which takes at most 30 days.',
  attestation_mismatch:
    'Copy `did` and `subjectHash` from the [request](/developer/guardians) that you attest, and sign again.',
  no_epoch:
    'Read the open epoch with `client.epochs.current()`; the operator opens the next. See [Epochs](/developer/keys#epochs).',
  epoch_not_joined:
    'Join the epoch with `POST /api/epoch/join`, then acknowledge it: see [Epochs](/developer/keys#epochs).',
  epoch_conflict:
    'For the operator: open a number that is higher than every earlier one and was not withdrawn, from a time when the epoch before is over. See [Epochs](/developer/keys#epochs).',
  epoch_begun:
    'For the operator: wait for its end. Only an epoch that has not begun can be withdrawn. See [Epochs](/developer/keys#epochs).',
  code_redeemed:
    'For the operator: list the grants of the identity with `scripts/admin grants list DID`, and end the one of the code with `scripts/admin end-grant`. See [Codes](/developer/pay#codes).',
  migration_only:
    'Remove `profile` and `suiteId`, or send native keys to the [directory](/developer/keys#publishing). These routes only record an [inventory](/developer/keys#inventory-of-an-earlier-system).',
  inventory_limit:
    'Record at most 500 keys of an identity, and publish new ones in the [directory](/developer/keys#publishing).',
  log_closed:
    'For the operator: the log was rolled before. Read its final checkpoint with `log`, whose last entry names the next log. See [Rolling a log](/developer/log-rolls#roll).',
  log_not_announced:
    'For the operator: publish a [log list](/developer/deploying#the-log-list) that announces the log with the key of that version, wait a minute, and send the act again. See [Rolling a log](/developer/log-rolls#roll).',
  log_fork:
    'Keep both signed checkpoints: they contradict each other, which proves that the log was [forked](/developer/keys#witnesses) or that yours is another log. Tell other witnesses and the operator.',
} as const satisfies Partial<Record<ErrorName, string>>
