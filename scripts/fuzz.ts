import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Identity } from '@svc/client'
import * as fc from 'fast-check'
import { Judge } from './fuzzing/judge.ts'
import { type Operation, readApi } from './fuzzing/operations.ts'
import { type FuzzRequest, requestsTo } from './fuzzing/requests.ts'
import { Sender } from './fuzzing/sender.ts'
import { startPlatform } from './lib/platform.ts'
import { findFreePortBase } from './lib/ports.ts'
import { Person } from './measure/people.ts'

const HELP = `Usage: scripts/fuzz [options] [operation ...]

Sends generated requests to every operation of the OpenAPI documents and holds each answer to its document:
no undocumented status, shape or type, no failure of the service, no error that is not JSON.

  --runs N   requests for each operation (default 40)
  --seed N   of the generator (default: another each time; it is printed)
  --path P   of the one request that an earlier run reported
  --help     show this`

const LANES = 4
/** Beside those of the step that starts the platform, which may run at the same time. */
const PORTS_FROM = 31_000
const IDENTITIES = 8

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '40' },
    seed: { type: 'string' },
    path: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP)
else process.exitCode = await run()

async function run(): Promise<number> {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
  const numRuns = Number(values.runs)
  const api = readApi()
  const chosen = api.operations.filter(
    ({ documented }) => positionals.length === 0 || positionals.includes(documented.operationId),
  )
  const stateDir = mkdtempSync(join(tmpdir(), 'fuzz-'))
  const platform = await startPlatform({
    portBase: await findFreePortBase(PORTS_FROM + 10 * Math.floor(Math.random() * 1000)),
    stateDir,
    onLog: () => {},
  })
  const startedAt = performance.now()
  const failures: string[] = []
  try {
    const judge = new Judge(api)
    const sender = new Sender(platform.urls, await peopleAt(platform.urls.core))
    const waiting = [...chosen]
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const operation = next
        const found = await fc.check(
          fc.asyncProperty(requestsTo(operation, api), (wanted) => holds(operation, wanted, sender, judge)),
          { seed, numRuns, ...(values.path === undefined ? {} : { path: values.path }) },
        )
        if (found.failed) failures.push(told(operation, found))
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
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

async function holds(operation: Operation, wanted: FuzzRequest, sender: Sender, judge: Judge): Promise<void> {
  const { service, documented } = operation
  const [answer, pathname] = await sender.send(service, documented['x-audience']?.[0], wanted)
  const fault = judge.faultOf(service, wanted.method, pathname, answer)
  if (fault !== null) throw new Error(fault)
}

function told({ service, documented }: Operation, found: fc.RunDetails<[FuzzRequest]>): string {
  const [wanted] = found.counterexample ?? []
  const body = wanted?.body === undefined ? '' : `\n  ${new TextDecoder().decode(wanted.body).slice(0, 400)}`
  const headers = JSON.stringify(wanted?.headers ?? {})
  const cause = found.errorInstance instanceof Error ? found.errorInstance.message : ''
  return (
    `${service} ${documented.operationId}: ${cause}\n  ${wanted?.method} ${wanted?.path.slice(0, 300)} ${headers} ` +
    `credential: ${wanted?.credential}${body}\n  again with: --seed ${found.seed} --path ${found.counterexamplePath} ${documented.operationId}`
  )
}

async function peopleAt(core: string): Promise<Identity[]> {
  const people: Identity[] = []
  for (let i = 0; i < IDENTITIES; i++) people.push((await Person.create(core)).identity)
  return people
}
