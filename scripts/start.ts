import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { type Platform, startPlatform } from './lib/platform.ts'
import { HIGHEST_PORT_BASE, LOWEST_PORT_BASE } from './lib/ports.ts'
import { DEFAULT_PORT_BASE, DEFAULT_STATE_DIR, firstSentence, resolveFromCaller, SetupError } from './lib/workspace.ts'
import { walkthrough } from './walkthrough/walkthrough.ts'

const HELP = `Usage: scripts/start [options]

Starts all eight services on this machine, walks through them once, and serves until Ctrl-C.

  --port-base N   first of nine ports in a row (default ${DEFAULT_PORT_BASE})
  --state DIR     where databases, secrets and logs are kept (default .state)
  --exit          stop after the walk-through; the exit code is its result
  --no-walk       start without the walk-through
  --help          show this`

interface Options {
  portBase: number
  stateDir: string
  exit: boolean
  walk: boolean
}

const options = readOptions()
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(130)
    stopping.abort()
  })
process.exit(await run(options).catch(explain))

async function run({ portBase, stateDir, exit, walk }: Options): Promise<number> {
  const step = stepPrinter()
  const platform = await startPlatform({
    portBase,
    stateDir,
    onStep: step,
    modelFiles: true,
    onLog: logFile(stateDir),
    signal: stopping.signal,
  })
  try {
    const passed = walk ? await Promise.race([walkThrough(platform), aborted()]) : true
    if (passed === 'aborted') return 0
    if (walk) step(passed ? 'walk-through passed' : 'walk-through FAILED')
    if (exit) return passed ? 0 : 1
    printServices(platform, stateDir)
    await aborted()
    return 0
  } finally {
    await platform.stop()
    console.log('Stopped.')
  }
}

function walkThrough({ urls, secrets, gateway, mail }: Platform): Promise<boolean> {
  return walkthrough({ urls, secrets, gateway, mail, print: (line) => console.log(`  ${line}`) })
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        'port-base': { type: 'string', default: String(DEFAULT_PORT_BASE) },
        state: { type: 'string' },
        exit: { type: 'boolean', default: false },
        'no-walk': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      console.log(HELP)
      process.exit(0)
    }
    const portBase = Number(values['port-base'])
    if (!/^\d+$/.test(values['port-base']) || portBase < LOWEST_PORT_BASE || portBase > HIGHEST_PORT_BASE)
      throw new Error(`--port-base takes a number from ${LOWEST_PORT_BASE} to ${HIGHEST_PORT_BASE}`)
    const stateDir = values.state === undefined ? DEFAULT_STATE_DIR : resolveFromCaller(values.state)
    return { portBase, stateDir, exit: values.exit, walk: !values['no-walk'] }
  } catch (error) {
    console.error(`${firstSentence(error)}; scripts/start --help lists the options.`)
    process.exit(2)
  }
}

function stepPrinter(): (line: string) => void {
  let last = performance.now()
  return (line) => {
    const now = performance.now()
    console.log(`${line} ${styleText('dim', `(${((now - last) / 1000).toFixed(1)} s)`)}`)
    last = now
  }
}

function logFile(stateDir: string): (line: string) => void {
  let file: ReturnType<typeof createWriteStream> | undefined
  return (line) => {
    if (file === undefined) {
      mkdirSync(join(stateDir, 'logs'), { recursive: true })
      file = createWriteStream(join(stateDir, 'logs/workers.log'), { flags: 'a' })
    }
    file.write(`${line}\n`)
  }
}

function aborted(): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (stopping.signal.aborted) resolve('aborted')
    stopping.signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
}

function printServices({ urls, mail }: Platform, stateDir: string): void {
  console.log()
  for (const [name, url] of Object.entries(urls)) console.log(`  ${name.padEnd(12)}${url}`)
  console.log(`\nMail is kept in ${mail.folder} until then.`)
  console.log(`Logs: ${join(stateDir, 'logs/workers.log')}. Ctrl-C stops.`)
}

function explain(error: unknown): number {
  if (stopping.signal.aborted) {
    console.log('Stopped.')
    return 0
  }
  console.error(error instanceof SetupError ? error.message : error)
  return 1
}
