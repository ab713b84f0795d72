import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { namespaceOf, objectsIn, readConfig } from '@svc/service'
import { configSchema } from '../env.ts'
import { directoryLogs } from '../transparency/logs.ts'
import { logEntries } from './log-entries.ts'
import type { MapBuckets, MapLogs } from './ports.ts'

/** The object of the map of a deployment's accounts; its buckets are named by it too. */
export function accountMap(env: Env) {
  return objectsIn(env, env.ACCOUNT_MAP).getByName(namespaceOf(readConfig(configSchema, env)))
}

export function mapBucket(env: Env, bucket: number) {
  const namespace = namespaceOf(readConfig(configSchema, env))
  return objectsIn(env, env.MAP_BUCKETS).getByName(`${namespace}/${bucket.toString(16).padStart(2, '0')}`)
}

export function mapLogs(env: Env): MapLogs {
  const logOf = (log: string) => objectsIn(env, env.TRANSPARENCY_LOG).getByName(log)
  return {
    open: () => directoryLogs(env).all.open(),
    head: (log) => reaching('transparency log', async () => logOf(log).head(log)),
    entries: (log, head, from, to) => logEntries(directoryLogs(env).files(log), head, from, to),
    submit: async (log, leaf) => {
      const placed = await reaching('transparency log', async () => logOf(log).submit(log, Date.now(), [leaf]))
      const index = placed.ok ? placed.value[0]?.index : undefined
      if (index === undefined) throw new DependencyFault('transparency log')
      return index
    },
    acknowledge: (log, index) => reaching('transparency log', async () => logOf(log).acknowledge(log, [index])),
  }
}

export function mapBuckets(env: Env): MapBuckets {
  const reach = <T>(work: () => Promise<T>) => reaching('account map', work)
  return {
    count: (bucket, call) => reach(async () => mapBucket(env, bucket).count(call)),
    reset: (bucket) => reach(async () => mapBucket(env, bucket).reset()),
    refill: (bucket, { from, updates, until }) =>
      reach(async () => mapBucket(env, bucket).refill(from, updates, until)),
  }
}
