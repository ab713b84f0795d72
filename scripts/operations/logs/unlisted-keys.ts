import type { CloudflareApi } from '../cloudflare-api.ts'
import { type Configured, keepersOf } from './keepers.ts'
import { newestLogList, unlistedKeys } from './publish-list.ts'

/** Reasons not to deploy: clients refuse what a key signs that the published list does not have. Before the first list, none. */
export async function unlistedKeyFaults({ deployment, configs }: Configured, api: CloudflareApi): Promise<string[]> {
  if (deployment.logListKeys === null) return []
  const list = await newestLogList(keepersOf({ deployment, configs }), api)
  return unlistedKeys(list, deployment.serviceKeys).map(
    ({ service, use }) =>
      `${service}: the log list does not have its key for ${use} with the times of deployments/${deployment.name}.json: run scripts/log-list next`,
  )
}
