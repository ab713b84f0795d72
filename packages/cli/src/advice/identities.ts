import type { ErrorName } from '#client/functions'

/** The identity itself: chain, devices, rotation, organizations, and what it is told. */
export const IDENTITIES = {
  genesis_conflict:
    'Read what is there with `GET /api/genesis/{did}`: if it is yours, go on with it. A key that belongs to another identity, as a root or device key, cannot begin [one of its own](/developer/identity#one-key-one-identity); make a new key.',
  stale_head:
    'Somebody appended before you. If `details.appended` has a receipt, it was your own first attempt and you are done. Otherwise [read the head](/developer/chain#head), build the block on it and sign again.',
  stale_epoch:
    'The root key was rotated, or you signed with an old number. Take the current epoch from `details.epoch` or from `GET /api/chain/root/{did}`, and sign again with the current [root key](/developer/rotation).',
  security_hold:
    'Find out who placed the [hold](/developer/security#what-it-stops), and why: it may be a warning of theft. The root key lifts it with `client.security.liftHold()`; then repeat the request. A receipt in `details.appended` means that it was already carried out.',
  profile_not_accepted:
    'Write a profile that `features.chain.profiles` of the [capabilities](/developer/core#what-a-deployment-says-about-itself) lists; the operator turns on profile 4 with `CHAIN_V4`. See [Members of a block](/developer/chain#members-of-a-block).',
  key_superseded:
    'Sign with the new root key. If you did not rotate it, [act at once](/developer/rotate-or-lose-a-key#4-act-when-a-key-was-stolen).',
  did_deactivated:
    'A [deactivation](/developer/identity#deactivation) is final. Use another identity, or ask its owner for the new one.',
  key_agreement_stale:
    'If it is your own newer statement, you are done. Otherwise read the key in place by [resolving the DID](/developer/did#resolution), and sign with a later `issuedAt`.',
  key_agreement_limit:
    'Wait: a root key can register [32 key agreements in 24 hours](/developer/limits#devices-and-rotation). To change only the services, leave out `keyAgreement`.',
  stale_inception_head:
    'If `details.appended` has a receipt, your first attempt succeeded. Otherwise take `sequence` and `previousHash` from `details.head`, and [sign the event again](/developer/devices#events).',
  device_exists:
    'Nothing to do: the device can act. To change what it may do, use [a change](/developer/devices#change).',
  device_state:
    'Nothing to do: the device is suspended or active already, or has these capabilities. `svc device list` shows its state; a [change](/developer/devices#change) must change something.',
  device_revoked:
    'Create a new [device key](/developer/devices#attestation) on that machine and attest it; the revoked one never comes back.',
  device_limit:
    'Revoke devices that you no longer use: an identity has at most [32 devices, and 64 new ones in 30 days](/developer/limits#devices-and-rotation). In the [key directory](/developer/limits#key-directory) the limit is 128, revoked ones included.',
  key_in_use:
    'Make a new key. A key that was ever a root or device key stays reserved for [one identity](/developer/identity#one-key-one-identity).',
  device_mismatch:
    'Derive [`deviceId`](/developer/devices#names) from the public key of the device, and let it sign an acceptance with the DID and `origin` of the [attestation](/developer/devices#attestation). If the device was attested before, the acceptance must name the newest event of the log.',
  agreement_mismatch:
    'Have another device of the same root key sign an [agreement](/developer/devices#agreement) to exactly this acceptance.',
  agreement_without_standing:
    'Have a device with [standing](/developer/devices#agreement) agree, or send the attestation without an agreement: the device then gains standing after 30 days.',
  org_exists:
    'Change the officers with `POST /api/inception/org-officers` instead: see [Organizations and officers](/developer/devices#organizations-and-officers).',
  not_an_org:
    'Check the DID, then [make it an organization](/developer/organization-officers#1-set-up-officers-with-a-quorum) with its first officers.',
  roster_version:
    'Read the current [officers](/developer/organizations#officers), add one to their `rosterVersion`, and collect the signatures again.',
  quorum_not_met:
    'Let more of the outgoing officers approve this roster, and check that `quorum` is at most the number of new ones: see [Organizations and officers](/developer/devices#organizations-and-officers).',
  acceptance_missing:
    'Ask each incoming officer to sign the acceptance of exactly this roster: see [the guide](/developer/organization-officers#1-set-up-officers-with-a-quorum).',
  officer_unverifiable:
    'One of the officers has rotated the root key or signed with another. Ask for a new signature with the current [root key](/developer/devices#organizations-and-officers).',
  acceptance_unverifiable:
    'Ask the member for a new [acceptance](/developer/organizations#acceptance): with the current root key, for this organization, provider and subject, and with a later `issuedAt` than any before.',
  stale_org_head:
    'Another officer wrote first. Take the position from `details.head`, and [sign the event again](/developer/organizations#events).',
  member_bound: 'Send an [`update`](/developer/organizations#kinds-of-events) to change the terms.',
  member_not_bound:
    'Check the DID in the [list of members](/developer/organizations#rosters). Send a [`bind`](/developer/organizations#kinds-of-events) first; a member who has not accepted is not bound.',
  subject_bound:
    'Each account at the provider stands for one member. Check the subject, or [revoke](/developer/organizations#kinds-of-events) the other binding first.',
  licence_required:
    'Ask the operator of the deployment for a [plan for the organization](/developer/organizations#licence). A tier that an officer pays for does not open these routes.',
  rotation_v2_disabled:
    'Use [version 1](/developer/rotation#how-it-works), which an operator approves, or ask the operator to turn on `ROTATION_V2`.',
  rotation_pending:
    '`GET /api/chain/root/{did}` shows the pending one. If it is not yours, [stop it](/developer/rotation#veto); otherwise finish or cancel it before you begin another.',
  rotation_not_pending:
    '`details.status` says how it ended. If it is `active`, the new key is in force; otherwise make a [new request](/developer/rotation#request).',
  rotation_window_open:
    'Wait until `details.deadline`, so that the owner’s devices can object, and [activate](/developer/rotation#activation) then.',
  rotation_unapproved: 'Ask the operator to [approve](/developer/rotation#approval) it. Version 2 needs no operator.',
  rotation_limit:
    'Let a device with standing [co-sign](/developer/rotation#co-signature) the request, or wait. Many requests that you did not make mean that somebody has your root key: [act](/developer/rotate-or-lose-a-key#4-act-when-a-key-was-stolen).',
  rotation_cosigned:
    'The root key alone can no longer stop it. Before it is activated, freeze it with a device that had [standing](/developer/rotation#veto) at the time of the request, or with one of the [successors](/developer/successors#rules) that the identity has committed to.',
  rotation_full:
    'A successor that the identity has committed to can [delay](/developer/successors#rules) it once. To end it, send another request signed by the root key and a successor, and have a device co-sign it, or ask the operator.',
  rotation_disputed:
    'Let a device with standing [co-sign](/developer/rotation#co-signature) your request. If that was disputed too, only the [operator](/developer/rotation#approval) decides in this epoch.',
  key_not_committed:
    'Rotate to a key of your [recovery words](/developer/successors#sheets-of-words). If all are lost, root key and a device with standing ask for another key with a co-signature, if the commitment allows it; that takes 30 days.',
  rotation_approved:
    'Ask the operator who approved it. If the new key is a thief’s, follow [Act when a key was stolen](/developer/rotate-or-lose-a-key#4-act-when-a-key-was-stolen).',
  rotation_not_active:
    'First [activate](/developer/rotation#activation) the rotation at core, then report it here. Resolution follows core in any case.',
  cosigner_required:
    'Let a device with standing and the capability `rotation:cosign` [co-sign](/developer/rotation#co-signature) it, then activate it again.',
  veto_limit:
    'Place the [hold](/developer/security#what-it-does-not-stop) with the root key, which has no limit, or with another device.',
  watch_limit:
    'List the [watch tokens](/developer/rotation#watch-tokens) and reuse one of them, or create a token with another key. A withdrawn token counts towards the limit for 30 more days.',
  offer_state:
    '`details.status` says how far the [offer](/developer/pairing#waiting) is. If you wait for a result, ask again after `details.pollIntervalMs` milliseconds; if another device joined or the delivery was made, open a new offer.',
  hook_address_refused:
    'Use an address that anyone can reach: a public name on port 443, neither an IP address nor a host of the deployment. A local start also takes `http://localhost`. See [Addresses](/developer/event-hooks#addresses).',
  hook_limit: 'List your hooks with `client.events.hooks()`, and [delete one](/developer/event-hooks#setting-it-up).',
  hook_not_proved:
    'Your server has to answer the challenge itself, within 5 seconds and without a redirect, with the DID of this identity: see [Setting it up](/developer/event-hooks#setting-it-up). Check the log of your server; the answer does not say what was wrong.',
} as const satisfies Partial<Record<ErrorName, string>>
