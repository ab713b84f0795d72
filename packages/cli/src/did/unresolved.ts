import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'

/**
 * The refusal of a DID that has no document. `error` is its type: an address of W3C whose fragment names it, such as
 * `https://www.w3.org/ns/did#NOT_FOUND`; empty if nobody told.
 */
export function unresolved(did: string, error: string): CliError {
  const name = error.split('#').at(-1) ?? ''
  const isMissing = name === 'NOT_FOUND' || name === ''
  return new CliError({
    exitCode: EXIT.refused,
    code: 'not_resolved',
    message: isMissing
      ? `${did} is not registered`
      : `${did} does not resolve: ${name.toLowerCase().replaceAll('_', ' ')}`,
    next: isMissing
      ? 'svc did register, if it is yours; otherwise check the DID, and ask its owner to register it'
      : 'check the DID, character by character',
    page: '/developer/did',
  })
}
