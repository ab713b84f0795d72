import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkerConfig } from '@svc/platform/worker-config'
import { ROOT } from '@svc/platform/workspace'

/** Work by the clock, which no operation causes. */
const BY_THE_CLOCK = ['BeaconObject']
/** What a deployment keeps in Vectorize is counted by what is searched for. */
const UNCOUNTED = ['VectorIndexObject']

/** The same Worker with an entry that counts what it uses. */
export function countedWorker(config: WorkerConfig, folder: string): WorkerConfig {
  mkdirSync(folder, { recursive: true })
  const main = join(folder, `${config.name}.ts`)
  writeFileSync(main, entryOf(config))
  return { ...config, main }
}

function entryOf({ main, options }: WorkerConfig): string {
  const objects = Object.entries(options.durableObjects ?? {}).flatMap(([binding, object]) =>
    typeof object === 'object' && object.scriptName === undefined ? [[binding, object.className] as const] : [],
  )
  const uncounted = objects.flatMap(([binding, name]) => (UNCOUNTED.includes(name) ? [binding] : []))
  const counted = objects.map(([, name]) => name).filter((name) => ![...UNCOUNTED, ...BY_THE_CLOCK].includes(name))
  const classes = [...new Set(counted)].map(
    (name) => `export class ${name} extends worker.${name} {
  constructor(ctx, env) {
    countStorage(ctx)
    super(ctx, countedEnv(env, UNCOUNTED))
  }
  async alarm(info) {
    count('objectCalls', 1)
    return super.alarm(info)
  }
}`,
  )
  const entrypoints = [...readFileSync(main, 'utf8').matchAll(/^export class (\w+) extends WorkerEntrypoint/gm)].map(
    ([, name]) => `export class ${name} extends worker.${name} {
  constructor(ctx, env) {
    super(ctx, countedEnv(env, UNCOUNTED))
  }
}`,
  )
  return `// @ts-nocheck
import * as worker from ${JSON.stringify(main)}
import { count, countedEnv, countStorage } from ${JSON.stringify(join(ROOT, 'scripts/benchmarks/runtime/counting.ts'))}
export * from ${JSON.stringify(main)}
const UNCOUNTED = ${JSON.stringify(uncounted)}
${classes.join('\n')}
${entrypoints.join('\n')}
export default {
  fetch: (request, env, ctx) => worker.default.fetch(request, countedEnv(env, UNCOUNTED), ctx),
}
`
}
