import { checkCall } from '../arguments/check.ts'

declare const normalized: unique symbol

/** A password or passphrase in the form that keys are derived from. Only `secretOf` makes one. */
export type Secret = string & { readonly [normalized]: 'NFKC' }

/**
 * What somebody typed as a password or passphrase, in its one form: NFKC. Keyboards and systems write é, ü or が as one
 * character or as two, so without it the same password opens nothing elsewhere. Whatever derives a key takes a `Secret`.
 */
export function secretOf(typed: string): Secret {
  checkCall('secretOf', [typed], ['typed'])
  return typed.normalize('NFKC') as Secret
}
