import type { ErrorName } from '#client/functions'

/** What an identity keeps: notes, assets, anchors, content, messages, consent and registrations. */
export const RECORDS = {
  plaintext_rejected:
    'Encrypt the content on the device and send only the members of the [note](/developer/notes#a-version) or [message](/developer/inbox#the-format-svc-contact-v1). `details.members` names those to remove. `client.notes` and `client.contact` do this for you.',
  hash_mismatch:
    'Compute SHA3-384 over exactly the bytes that you send, which are the ciphertext of a [note](/developer/notes#a-version) or [attachment](/developer/notes#attachments) or the file of [keypoints](/developer/search#keypoints-models-and-their-runtime), and compare the declared length too.',
  aad_mismatch:
    'Compute `aadB64u` as SHA3-384 over the JCS of `header` after the last change of the header, and [encrypt](/developer/notes#encryption) with it: see [A version](/developer/notes#a-version).',
  note_exists:
    'Use the operation `update` to add a [version](/developer/notes#a-version), or choose a new `noteId`. If you only repeat a request, send the same signed version: it returns the stored one.',
  note_tombstoned: 'Choose a new `noteId`: the name of a [deleted note](/developer/notes#deletion) stays taken.',
  older_event:
    'Read the note again, and sign with `details.inception` or a newer event. `details.inception` is the event of the version that yours [follows](/developer/notes#a-version).',
  unknown_event:
    'Read the head of your [inception log](/developer/devices) with `client.devices.head()`, and sign with that event in `inception`. If the log has lost the event, tell the operator.',
  attachment_exists:
    'Choose another `attId`. [Attachments](/developer/notes#attachments) never change, so a new file is a new attachment.',
  vault_behind:
    'The service has fewer entries than you saw before. Keep your copies, tell the operator, and [restore from an export](/developer/notes#export). Or start again without `cursor` to see what is left.',
  non_native_note_record:
    'Make a note of the type `svc/note/v2` and encrypt it: see [A version](/developer/notes#a-version). Never send the plain content instead.',
  storage_quota:
    'Delete notes or attachments. Their room comes back when the [ciphertexts are collected](/developer/notes#deletion): a day later by itself, or on demand with `POST /api/notes/{did}/cas/gc` once they are a day old.',
  budget_exhausted:
    '`details` has the budget, what is used and the limit. Delete what counts towards [this budget](/developer/limits#what-an-identity-keeps), or [get a higher tier](/developer/pay#offers). Nothing that you have is deleted.',
  asset_mismatch: 'Put the same `assetId` into `header` and `asset`: see [Minting](/developer/assets#minting).',
  asset_exists:
    'Read the record. If somebody else has minted an asset of yours, prove it with an id that [certifies you](/developer/assets#proved-and-claimed), which [displaces](/developer/assets#displacing) a claimed record.',
  asset_moved: 'Read the [asset](/developer/assets#reading) again: if you still own it, repeat the transfer.',
  recipient_unknown:
    'Check the DID of the recipient. An identity exists after its [genesis](/developer/chain#genesis), and a deactivated one cannot [receive](/developer/assets#transferring).',
  receipt_limit:
    'The asset takes no more [receipts](/developer/assets#receipts), and none is deleted. A mapping that is there already is still answered.',
  history_partial:
    'Wait until the chain is indexed: `client.anchors.eligibility()` has empty `reasons` when you can [submit](/developer/anchors#submitting). Nothing else is needed.',
  publisher_disabled:
    'Only the operator can change this, with `PUBLISHER_PUBLIC_KEY` among the [variables](/developer/operating#variables). Anchors themselves work without a [publisher](/developer/anchors#the-publisher-s-callback).',
  policy_founded:
    'Publish the next policy with `POST /api/governance/policy`, signed by signers of the [current one](/developer/governance#publishing). The first policy is set only once.',
  stale_policy:
    'Read the current policy with `client.governance.policy()`, put its id into `previousPolicyId`, and let its signers [sign again](/developer/governance#publishing).',
  no_policy:
    'Ask the operator to set the [first policy](/developer/governance#the-first-policy), with `scripts/admin first-policy`.',
  cid_unsupported:
    'Add the file to IPFS again, as one raw block or as a UnixFS file (dag-pb), with SHA2-256: see [Reading](/developer/content#reading).',
  not_a_file:
    'Use the CID of a file in the directory, not of the directory: see [Reading](/developer/content#reading).',
  content_too_large:
    'This service reads and pins files of at most [64 MiB](/developer/content#reading). Split the file, or read it from another IPFS gateway.',
  pinning_disabled:
    'Pin the file with another IPFS service. `storage.pinning` in the [capabilities](/developer/core#what-a-deployment-says-about-itself) says whether a deployment [pins](/developer/content#pinning).',
  pin_limit: 'Unpin something: an identity can have at most [1,000 pins](/developer/content#pinning).',
  withheld:
    'Do not repeat the request. The log keeps the leaf, and at `details.position` the act of the operator with its ground and day; a bundle that you saved still verifies. Ask the operator. See [withheld anchors](/developer/anchors#withheld-anchors).',
  taken_down:
    'Do not repeat the request. `details.reason` says why, and the public list of takedowns has the entry; ask the operator about it. See takedowns of [content](/developer/content#takedowns) and of [registrations](/developer/search#takedowns).',
  missing_asset:
    'Put the `assetId` that your message is about into the body: see [Requesting a code](/developer/inbox#requesting-a-code).',
  owner_unresolvable:
    'Check the `assetId`. The answer is the same for an unknown asset and for an owner who cannot receive; the owner has to [register a key](/developer/receive-messages#1-make-yourself-reachable) first.',
  code_rejected:
    '`details.attemptsLeft` says how many of five attempts are left. The fifth wrong code ends the [request](/developer/inbox#delivery). Use the code of the newest mail. For an [address](/developer/auth#addresses-are-confirmed-by-mail) at sign-in, begin the registration again after five.',
  resend_limit:
    'Begin a new [contact request](/developer/inbox#requesting-a-code); each has three codes at most. Check the address and the folder for unwanted mail first.',
  key_agreement_changed:
    'Begin a new [contact request](/developer/inbox#requesting-a-code), check the new key, and encrypt the message for it. Nothing was delivered.',
  inbox_full:
    'Only the owner can make room, by [deleting messages](/developer/receive-messages#3-read-export-delete). A code that you have stays valid for its ten minutes.',
  non_native_consent_record:
    'Choose another [identifier](/developer/consent#the-identifier): the record was not made by an identity, so nobody can sign for it.',
  consent_held:
    '`details.creator_did` has the holder. If `details.claimed` is true, your declaration was kept as a [claim](/developer/consent#competing-claims) that everyone sees in the history; ask the operator to [settle it](/developer/consent#disputes).',
  consent_exists:
    'The record is yours: change it with `client.consent.update`, or `PUT` on its [identifier](/developer/consent#writing).',
  consent_replay:
    'Read the record, then sign the declaration again: a [signature](/developer/consent#writing) counts once, so that an old one cannot restore what you changed. A deterministic signer makes the same signature again: sign with fresh randomness.',
  consent_limit:
    'Revoke the record with `DELETE`, which is always possible, or leave it. See [Writing](/developer/consent#writing).',
  snapshot_unknown:
    'Ask for a full hour, from a minute to 24 hours after it. `client.consent.snapshot()` takes the newest: see [Snapshot](/developer/consent#snapshot).',
  prose_rejected:
    'Remove `text`, `title`, `body` and `content`, and send vectors. `client.provenance.registerText(text)` computes them [on your device](/developer/fingerprint).',
  'text vectors must be a non-empty array':
    'Put 1 to 100 vectors into `vectors`: see [Searching for texts](/developer/search#searching-for-texts). `client.provenance.searchText` makes them.',
  'too many chunks':
    'Split the text, for example by chapter, and register each part: see [Registering a text](/developer/search#registering-a-text).',
  too_many_vectors:
    'Send a selection: a text search takes 100 vectors, and [`search`](/developer/search#what-can-be-searched) of the capabilities has the number for the others.',
  capsule_exists:
    '`details.capsuleHash` names the capsule that you registered before: use it, or [delete it](/developer/provenance#deleting) and register the other.',
  commitment_limit:
    'Commit to many files at once, by one hash over a list of them, or [anchor](/developer/prove-what-you-made#many-files-one-anchor) them together. [Commitments](/developer/provenance#commitments) cannot be deleted.',
  verification_failed:
    'Check that key, message and signature belong together: pure ML-DSA-65 with an empty context over the bytes of `messageB64u`. See [Verification](/developer/provenance#verification).',
  nonce_replay:
    'Use a fresh, unguessable nonce for each check. If you did not use it, somebody has shown you a signature that was [checked before](/developer/provenance#verification).',
  registration_pending:
    'Repeat the request in a few seconds; an abandoned registration can be [taken over](/developer/search#duplicates) after ten minutes.',
  index_full:
    'Ask the operator to make room in the [index](/developer/search#the-index), then repeat the request. No unit of your quota was spent.',
  index_not_provisioned:
    'Only the operator can add an index. `provisioned` in [`search`](/developer/search#what-can-be-searched) of the capabilities says what this deployment can search.',
  'text index not provisioned':
    'Only the operator can add an index. `provisioned` in [`search`](/developer/search#what-can-be-searched) of the capabilities says what this deployment can search.',
  canonical_chain_binding_unavailable:
    'The operator has turned off `CHAIN_BINDING`, which is on by default: see [Chains](/developer/provenance#chains). Register without a block and append the block yourself, or ask the operator to turn it on.',
} as const satisfies Partial<Record<ErrorName, string>>
