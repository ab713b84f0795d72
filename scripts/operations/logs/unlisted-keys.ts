import { keysOf } from '@svc/protocol/http/service-keys'
import type { CloudflareApi } from '../cloudflare-api.ts'
import { type Configured, keepersOf } from './keepers.ts'
import { deployedKeys } from './listed-keys.ts'
import { newestLogList, unlistedKeys } from './publish-list.ts'

/** Reasons not to deploy: clients refuse what a key signs that the published list does not have. Before the first list, none. */
export async function unlistedKeyFaults({ deployment, configs }: Configured, api: CloudflareApi): Promise<string[]> {
  if (deployment.logListKeys === null) return []
  const list = await newestLogList(keepersOf({ deployment, configs }), api)
  const { held } = deployedKeys({ deployment, configs }, [])
  const isListed = ({ publicKeyB64u, ...name }: (typeof held)[number]) =>
    keysOf(list.statement.services, name).some((key) => key.publicKeyB64u === publicKeyB64u && key.validUntil === null)
  return [...unlistedKeys(list, deployment.serviceKeys), ...held.filter((key) => !isListed(key))].map(
    ({ service, use }) =>
      `${service}: the log list does not have its key for ${use} with the times of deployments/${deployment.name}.json: run scripts/log-list next`,
  )
}
