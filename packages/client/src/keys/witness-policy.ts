import { publicKeySchema } from '#protocol/base/identity'
import { checkOptions } from '../arguments/check.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'

/** Whose word a client takes for a map of accounts or the time of an anchor: so many of these witnesses have to agree. */
export interface WitnessPolicy {
  readonly threshold: number
  readonly publicKeysB64u: readonly string[]
}

/** The policy, if it can be met. */
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

/** What a call throws that no client without a policy could satisfy. */
export function withoutWitnesses(): ConfigurationError {
  return new ConfigurationError('witnesses', 'This call needs witnesses: pass `witnesses` to the client')
}
