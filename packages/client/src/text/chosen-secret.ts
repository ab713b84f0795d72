import { ConfigurationError } from '../transport/configuration-error.ts'
import { type Secret, secretOf } from './secret.ts'

/** The secret that something is about to be protected with. Throws a `ConfigurationError` for one that is empty. */
export function chosenSecretOf(typed: string, option: string): Secret {
  const secret = secretOf(typed)
  if (secret !== '') return secret
  throw new ConfigurationError(option, `The ${option} is empty, and would protect nothing: pass what the person typed`)
}
