/**
 * Every named error of the platform: the only table that relates a name to a status and a sentence. Responses,
 * OpenAPI, the error page and the SDK's types derive from it.
 *
 * `code` marks the errors of validation, body caps and route limits, which core answers as its structured error
 * under that code; every other one travels as the `error` string of an envelope.
 *
 * @module
 */
type ErrorEntry = {
  readonly status: 400 | 401 | 402 | 403 | 404 | 405 | 406 | 409 | 410 | 413 | 415 | 416 | 429 | 500 | 501 | 503
  readonly text: string
  readonly code?: 'invalid_request' | 'unsupported_alg' | 'rate_limited'
}

export const ERRORS = {
  invalid_request: { status: 400, code: 'invalid_request', text: 'The request does not match its schema' },
  unsupported_alg: { status: 400, code: 'unsupported_alg', text: 'The hash algorithm must be sha3-384' },
  invalid_nonce: { status: 400, text: 'The nonce must be 16 to 64 characters from A-Z a-z 0-9 . _ ~ -' },
  duplicate_signer: { status: 400, text: 'A signer or its key occurs twice' },
  threshold_out_of_range: { status: 400, text: 'The threshold must be at least 1 and at most the number of signers' },
  cid_unsupported: { status: 400, text: 'Not a CID of a raw leaf or dag-pb file under SHA2-256' },
  not_a_file: { status: 400, text: 'The CID names no file' },
  plaintext_rejected: {
    status: 400,
    text: 'Only what was encrypted by the client is taken; the members named are not',
  },
  challenge_failed: { status: 400, text: 'The bot challenge was not passed' },
  asset_mismatch: { status: 400, text: 'Header and asset name different assets' },
  aad_mismatch: { status: 400, text: 'The digest is not that of the header' },
  hash_mismatch: { status: 400, text: 'What was sent does not hash to what was stated' },
  unauthorized: { status: 401, text: 'The assertion is missing or was not accepted' },
  assertion_expired: { status: 401, text: 'The assertion has expired; compare your clock with serverTime' },
  assertion_not_yet_valid: {
    status: 401,
    text: 'The assertion is from the future; compare your clock with serverTime',
  },
  assertion_too_long: { status: 401, text: 'An assertion is valid for at most one hour' },
  statement_expired: {
    status: 401,
    text: 'The statement is too old or from the future; compare your clock with serverTime',
  },
  assertion_replay: { status: 401, text: 'The assertion was already used' },
  storage_quota: { status: 402, text: 'The vault is as full as it may be' },
  licence_required: { status: 402, text: 'The organization has no active licence' },
  'Authorization required': { status: 401, text: 'The route needs an assertion' },
  'Invalid assertion': { status: 401, text: 'The assertion was not accepted' },
  token_required: { status: 401, text: 'The route needs the token of the offer' },
  token_rejected: { status: 401, text: 'The token is not the one of this offer' },
  forbidden: { status: 403, text: 'The caller may not do this' },
  cors_denied: { status: 403, text: 'The Origin is not on the allowlist of this service' },
  wrong_audience: { status: 403, text: 'The assertion was made for another audience' },
  invalid_audience: { status: 403, text: 'The assertion was made for another audience' },
  invalid_directory_nonce: { status: 403, text: 'The nonce must be at most 128 characters' },
  device_keys_disabled: { status: 403, text: 'This deployment does not accept device assertions' },
  capability_required: {
    status: 403,
    text: 'The device may not do this; the root key, or a device that was allowed, may',
  },
  attestation_unverifiable: {
    status: 403,
    text: 'The attestation of the device does not hold under the current root key',
  },
  rotation_v2_disabled: { status: 403, text: 'This deployment takes no version-2 rotations' },
  not_eligible: { status: 403, text: 'The key may not sign this' },
  unknown_signer: { status: 403, text: 'A key that signed may not authorize this' },
  threshold_not_met: { status: 403, text: 'Fewer signers have signed than the threshold asks for' },
  pinning_disabled: { status: 403, text: 'This deployment pins nothing' },
  publisher_disabled: { status: 403, text: 'This deployment has no publisher key' },
  device_mismatch: { status: 403, text: 'The device’s acceptance is not about this attestation' },
  quorum_not_met: { status: 403, text: 'Fewer officers have signed than the quorum asks for' },
  acceptance_missing: { status: 403, text: 'An incoming officer has not accepted this roster' },
  acceptance_unverifiable: {
    status: 403,
    text: 'The member’s acceptance is not of this binding, or not by the current root key',
  },
  officer_unverifiable: { status: 403, text: 'A key that signed is not the current root key of its officer' },
  invalid_signature: { status: 403, text: 'The signature does not verify' },
  owner_mismatch: { status: 403, text: 'The record belongs to another identity than the caller' },
  profile_not_accepted: { status: 403, text: 'This deployment does not accept appends of that record profile' },
  operator_acts_disabled: { status: 403, text: 'This deployment has no operator key' },
  code_unusable: { status: 404, text: 'The code is unknown, used or expired' },
  not_found: { status: 404, text: 'No such record' },
  'Not found': { status: 404, text: 'No such route' },
  method_not_allowed: { status: 405, text: 'The path does not take this method' },
  non_native_note_record: {
    status: 409,
    text: 'Not a note of version 2. Never send it in another form, or unencrypted',
  },
  note_exists: { status: 409, text: 'The vault has a note of that name' },
  note_tombstoned: { status: 409, text: 'The note was deleted; its name is not used again' },
  attachment_exists: { status: 409, text: 'The note has another attachment of that name' },
  vault_behind: { status: 409, text: 'The log of the vault is shorter than the cursor: the service has lost entries' },
  stale_head: { status: 409, text: 'The block does not follow the current head' },
  security_hold: { status: 409, text: 'The identity is under a security hold' },
  stale_epoch: { status: 409, text: 'What was signed names another root epoch than the current one' },
  genesis_conflict: { status: 409, text: 'The identity already has another genesis block' },
  scope_conflict: { status: 409, text: 'The DID already belongs to another scope' },
  key_superseded: { status: 409, text: 'The key was superseded by a later one' },
  did_deactivated: { status: 409, text: 'The identity was deactivated by its root key' },
  key_agreement_stale: { status: 409, text: 'A newer key-agreement statement is already in place' },
  statement_replay: { status: 409, text: 'The statement was already used' },
  stale_inception_head: { status: 409, text: 'The event does not follow the head of the inception log' },
  device_exists: { status: 409, text: 'The device is already attested' },
  device_revoked: { status: 409, text: 'The device was revoked, which is final' },
  device_limit: { status: 409, text: 'The identity has as many devices as it may' },
  key_in_use: { status: 409, text: 'The key already belongs to an identity or a device' },
  org_exists: { status: 409, text: 'The organization already has officers' },
  not_an_org: { status: 409, text: 'The identity is not an organization' },
  roster_version: { status: 409, text: 'The roster version is not the one after the current' },
  stale_org_head: { status: 409, text: 'The event does not follow the head of the organization’s log' },
  member_bound: { status: 409, text: 'The member is bound already; its binding can be updated' },
  member_not_bound: { status: 409, text: 'The member is not bound' },
  subject_bound: { status: 409, text: 'The subject already stands for another member' },
  rotation_pending: { status: 409, text: 'Another rotation is pending' },
  rotation_not_pending: { status: 409, text: 'The rotation is not pending' },
  rotation_window_open: { status: 409, text: 'The window of the rotation is still open' },
  rotation_unapproved: { status: 409, text: 'No operator has approved the rotation' },
  rotation_not_active: { status: 409, text: 'The rotation is not active at core' },
  cosigner_required: { status: 409, text: 'The rotation lacks a co-signature' },
  veto_limit: { status: 409, text: 'The key has placed as many freezes or holds as it may in 30 days' },
  offer_state: { status: 409, text: 'The offer is not in the state that this needs' },
  history_partial: { status: 409, text: 'The chain is being indexed again: partial history is not anchored' },
  policy_exists: { status: 409, text: 'This very policy was in force before; a policy is published once' },
  policy_founded: { status: 409, text: 'There is a governance policy already; its signers authorize the next' },
  stale_policy: { status: 409, text: 'Another policy has become current' },
  no_policy: { status: 409, text: 'There is no governance policy yet; the operator sets the first' },
  recipient_unknown: { status: 409, text: 'No identity has the DID that the asset was to go to' },
  asset_exists: { status: 409, text: 'The asset is already minted' },
  asset_moved: { status: 409, text: 'The asset has changed hands' },
  pin_limit: { status: 409, text: 'The identity has as many pins as it may' },
  receipt_limit: { status: 409, text: 'The asset has as many receipts as it may' },
  endpoint_retired: { status: 410, text: 'The endpoint is retired' },
  entitlement_claim_retired: { status: 410, text: 'The endpoint is retired' },
  content_too_large: { status: 413, text: 'The content is above the cap of this deployment' },
  payload_too_large: { status: 413, code: 'invalid_request', text: 'The body is above the cap of this route' },
  unsupported_media_type: { status: 415, code: 'invalid_request', text: 'The body must be application/json' },
  range_not_satisfiable: { status: 416, text: 'The range begins beyond the end' },
  rate_limited: { status: 429, code: 'rate_limited', text: 'Rate limit exceeded' },
  internal_error: { status: 500, text: 'Internal error' },
  dependency_unavailable: { status: 503, text: 'Something that this answer depends on is unavailable' },
  device_index_unavailable: { status: 503, text: 'The standing of the device cannot be looked up now' },
  receipts_unavailable: { status: 503, text: 'This deployment signs no receipts' },
  log_unavailable: { status: 503, text: 'The log of this deployment signs no checkpoints' },
} as const satisfies Record<string, ErrorEntry>

export type ErrorName = keyof typeof ERRORS
export type ErrorStatus = (typeof ERRORS)[ErrorName]['status']

export function errorEntry(name: ErrorName): ErrorEntry {
  return ERRORS[name]
}
