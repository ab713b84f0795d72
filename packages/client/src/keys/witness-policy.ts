import { publicKeySchema } from '#protocol/base/identity'
import { checkOptions } from '../arguments/check.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'

/** The witnesses that a client trusts for the map of accounts and the time of an anchor; `threshold` of them must agree. */
export interface WitnessPolicy {
  readonly threshold: number
  readonly publicKeysB64u: readonly string[]
}

/** Returns the policy. Throws if it cannot be met. */
export function checkedPolicy(policy: WitnessPolicy): WitnessPolicy {
  checkOptions('client', 'witnesses', policy, { threshold: 1, publicKeysB64u: 1 })
  const { threshold, publicKeysB64u } = policy
  const keys = new Set(publicKeysB64u)
  if (keys.size !== publicKeysB64u.length || ![...keys].every((key) => publicKeySchema.safeParse(key).success))
    throw new ConfigurationError('witnesses', '`witnesses.publicKeysB64u` must be ML-DSA-65 public keys, each once')
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > keys.size)
    throw new ConfigurationError('witnesses', '`witnesses.threshold` must be from 1 to the number of keys')
  return policy
}

/** The error of a call that requires a witness policy. */
export function withoutWitnesses(): ConfigurationError {
  return new ConfigurationError('witnesses', 'This call needs witnesses: pass `witnesses` to the client')
}
