import { SERVICE_KEY_USES, type ServiceKey } from '@svc/protocol/http/service-keys'
import type { ListKeys } from '@svc/protocol/merkle/log-list'
import type { WorkerName } from '../workspace.ts'
import { publicKeyOf } from './dev-secrets.ts'

/**
 * The variables that give a Worker its published keys: core all of them, because it serves the discovery document, and
 * every other Worker its own. One variable each, because a variable holds 5 kB.
 */
export function serviceKeyVars(worker: WorkerName, keys: readonly ServiceKey[]): Record<string, ServiceKey> {
  const known = keys.filter(({ service }) => worker === 'core' || service === worker)
  return Object.fromEntries(known.map((key, index) => [`SERVICE_KEY_${index + 1}`, key]))
}

/** The same for the keys of the log list, which only core publishes. */
export function logListKeyVars(worker: WorkerName, keys: ListKeys | null): Record<string, string | number> {
  if (worker !== 'core' || keys === null) return {}
  const named = keys.publicKeysB64u.map((key, index) => [`LOG_LIST_KEY_${index + 1}`, key] as const)
  return { LOG_LIST_THRESHOLD: keys.threshold, ...Object.fromEntries(named) }
}

/** The first key of every use that has a seed, valid from the beginning. */
export async function firstKeys(seedOf: (name: string) => string | undefined): Promise<ServiceKey[]> {
  const keys: ServiceKey[] = []
  for (const { service, use, seed } of SERVICE_KEY_USES) {
    const hex = seedOf(seed)
    if (hex === undefined) continue
    const publicKeyB64u = await publicKeyOf(Uint8Array.from(Buffer.from(hex, 'hex')))
    keys.push({ service, use, publicKeyB64u, validFrom: 0, validUntil: null })
  }
  return keys
}
