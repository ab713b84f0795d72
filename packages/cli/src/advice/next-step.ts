/**
 * What to do after a refusal, for every documented error. Loaded with the first refusal: the advice is long.
 *
 * @module
 */
import type { ErrorName } from '#client/functions'
import { ERROR_ADVICE } from './error-advice.ts'

/** Where a command of `svc` is the way out. All others have the advice of the page of errors. */
export const COMMANDS: Readonly<Partial<Record<ErrorName, string>>> = {
  genesis_conflict: 'svc chain head shows the chain that exists',
  stale_head: 'run it again; it builds on the newest head',
  stale_epoch: 'svc rotate history shows the current root key; import it with svc id import',
  security_hold: 'find out who placed the hold; the root key lifts it with svc rotate lift',
  key_superseded: 'import the new root key with svc id import; svc rotate history lists the root keys',
  did_deactivated: 'use another identity: this one has ended for good',
  stale_inception_head: 'run it again',
  device_limit: 'svc device list, then svc device revoke those you no longer use',
  cosigner_required: 'svc rotate cosign, on a device of the identity; then svc rotate activate',
  rotation_pending: 'svc rotate status; if it is not yours, svc rotate veto',
  quota_exhausted: 'svc quota shows what is left; svc pay offer shows what there is more',
  assertion_expired: 'svc doctor compares your clock with that of core',
  assertion_not_yet_valid: 'svc doctor compares your clock with that of core',
  unauthorized:
    'svc doctor compares the clocks, and says whether this device has ended; svc rotate history shows whether your root key was replaced',
  consent_held: 'svc consent history shows who holds it, and whether your declaration is kept as a claim',
  capsule_exists: 'svc verify FILE shows the registration that you have; svc capsule delete deletes it',
  owner_unresolvable: 'check the asset; its owner takes messages after svc did register',
  licence_required: 'svc pay offer shows the plans that have organizations',
  unknown_signer: 'ask the operator to add the key',
  unknown_sku: 'svc pay offer lists what is sold',
  stale_policy: 'svc governance show, then propose again with svc governance propose',
  no_epoch: 'svc epoch show says when one is open; the operator opens the next',
  epoch_not_joined: 'svc epoch join',
  token_rejected: 'the session has ended: svc signin login NAME',
  cors_denied: 'svc init --origin URL with an origin that the deployment allows',
  internal_error: 'try again later; svc doctor shows which services answer',
  dependency_unavailable: 'try again later; svc doctor shows which services answer',
}

/** One line. Null for a name that no service answers. */
export function nextStepOf(code: ErrorName): string
export function nextStepOf(code: string): string | null
export function nextStepOf(code: string): string | null {
  if (!isErrorName(code)) return null
  return COMMANDS[code] ?? plain(ERROR_ADVICE[code])
}

function isErrorName(code: string): code is ErrorName {
  return Object.hasOwn(ERROR_ADVICE, code)
}

/** Without the links of the page, whose own address follows. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
}
