import { LogFiles } from '@svc/log'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { rootKeyVersionSchema } from '@svc/protocol/internal/core'
import { bucketOf } from '@svc/protocol/keys/map-pages'
import { InternalClient, internalSecretsOf, objectsIn, readConfig } from '@svc/service'
import { mapBucket } from '../../account-map/bindings.ts'
import { logEntries } from '../../account-map/log-entries.ts'
import { configSchema } from '../../env.ts'
import { labelsOf } from '../../labels/labels.ts'
import type { Witnesses } from './proof.ts'

/** The log, its map of accounts and core, for the account of a label. */
export function witnessesOf(env: Env, label: string): Witnesses {
  const core = new InternalClient(env.CORE, internalSecretsOf(readConfig(configSchema, env)))
  return {
    labelOf: (did) => labelsOf(env).of(did),
    published: () => reaching('account map', async () => mapBucket(env, bucketOf(label)).account(label)),
    lineAt: async ({ log, index }) => {
      const logs = objectsIn(env, env.TRANSPARENCY_LOG)
      const head = await reaching('transparency log', async () => logs.getByName(log).head(log))
      if (index >= head.size) return null
      const [line = null] = await logEntries(new LogFiles(env.TILES, log), head, index, index + 1)
      return line
    },
    rootKey: async (did, epoch) => {
      const path = `/api/internal/root-key/${did}?epoch=${epoch}`
      const found = await core.call({ method: 'GET', path }, rootKeyVersionSchema)
      if (found.ok) return found.value
      if (['not_found', 'did_deactivated'].includes(found.error.error ?? '')) return null
      throw new DependencyFault('core', { cause: new Error('root key') })
    },
  }
}
