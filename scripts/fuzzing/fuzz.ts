import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Operation, readApi } from '@svc/platform/documented-api'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { reservePortBase } from '@svc/platform/ports'
import type { Sampling } from './run.ts'

const HELP = `Usage: scripts/fuzz [options] [operation ...]

Sends generated requests to every operation of the OpenAPI documents and checks each response against its document.
It reports undocumented statuses, shapes and media types, server errors, and errors that are not JSON.

  --runs N   requests per operation (default 40)
  --seed N   seed of the generator (default: random; printed at the end)
  --path P   send only the request that an earlier run reported under this path
  --help     show this

Operations are named by their operationId (default: all). Without names, it also walks through the platform and presents
at every signature what the same key signs as something else.`

await runEntry({
  name: 'scripts/fuzz',
  help: HELP,
  operands: true,
  options: { runs: { type: 'string', default: '40' }, seed: { type: 'string' }, path: { type: 'string' } },
  run({ values, positionals }) {
    const numRuns = wholeNumber('--runs', values.runs, { from: 1 })
    const seed = wholeNumber('--seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31)))
    return run(positionals, { numRuns, seed, ...(values.path === undefined ? {} : { path: values.path }) })
  },
})

async function run(operationIds: readonly string[], sampling: Sampling): Promise<number> {
  const { numRuns, seed } = sampling
  const api = readApi()
  const isNamed = ({ documented }: Operation, id: string) => documented.operationId === id
  const unknown = operationIds.find((id) => !api.operations.some((operation) => isNamed(operation, id)))
  if (unknown !== undefined) throw new UsageError(`There is no operation '${unknown}'`)
  const chosen = api.operations.filter(
    (operation) => operationIds.length === 0 || operationIds.some((id) => isNamed(operation, id)),
  )
  const { startPlatform } = await import('@svc/platform')
  const { fuzz } = await import('./run.ts')
  const { impersonate } = await import('./impersonate.ts')
  const stateDir = mkdtempSync(join(tmpdir(), 'fuzz-'))
  const platform = await startPlatform({
    sdkReference: true,
    portBase: await reservePortBase(),
    stateDir,
    onLog: () => {},
    modelFiles: true,
  })
  const startedAt = performance.now()
  let failures: string[]
  try {
    failures = await fuzz(platform.urls, api, chosen, sampling)
    if (operationIds.length === 0) {
      const found = await impersonate(platform, api, seed)
      failures.push(...found.failures)
      console.log(`${found.presented} forgeries at ${found.places} places, each by the key that signs there`)
    }
  } finally {
    await platform.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
  for (const failure of failures) console.log(`${failure}\n`)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(
    `${chosen.length} operations, ${numRuns} requests each, seed ${seed}, ${seconds} s: ${failures.length} failed`,
  )
  return failures.length > 0 ? 1 : 0
}
