import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { keysOf, SERVICE_KEY_USES, type ServiceKey } from '@svc/protocol/http/service-keys'
import type { ListKeys } from '@svc/protocol/merkle/log-list'

/** What core knows of the deployment's keys: those it was given, and its own signers. */
export interface OwnKeys {
  readonly configured: readonly ServiceKey[]
  /** The keys of the log list. */
  readonly logList: ListKeys | null
  readonly signers: Readonly<Record<'receipt', DeploymentSigner>>
}

/** The configured keys. For a use of core without any, as in local development, the key of its seed. */
export async function allKeys({ configured, signers }: OwnKeys, now: number): Promise<ServiceKey[]> {
  const all = [...configured]
  for (const { service, use } of SERVICE_KEY_USES) {
    if (service !== 'core' || keysOf(configured, { service, use }).length > 0) continue
    const publicKeyB64u = await signers[use].publicKey(now)
    if (publicKeyB64u !== null) all.push({ service, use, publicKeyB64u, validFrom: 0, validUntil: null })
  }
  return all
}
