import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { styleText } from 'node:util'
import type { Platform } from '@svc/platform'
import { runEntry } from '@svc/platform/entry'
import { lineOf } from '@svc/platform/local/mail'
import { readConsolePort, readPortBase } from '@svc/platform/ports'
import { consolePortOf, DEFAULT_PORT_BASE, DEFAULT_STATE_DIR, resolveFromCaller } from '@svc/platform/workspace'

/** Without placeholders, so that it can be shown before packages are installed. */
const HELP = `Usage: scripts/start [options]

Starts all eight services and the console on this machine, runs a walk-through against them, and serves until Ctrl-C.

  --port-base N      first of thirteen consecutive ports (default 8787)
  --console-port N   port of the console (default 3000; with another --port-base, ten ports after it)
  --state DIR        where databases, secrets and logs are kept (default .state)
  --exit             stop after the walk-through; exits with 1 if it fails
  --no-walk          start without the walk-through
  --help             show this`

interface Options {
  portBase: number
  consolePort: number
  stateDir: string
  exit: boolean
  walk: boolean
}

const stopping = new AbortController()

await runEntry({
  name: 'scripts/start',
  help: HELP,
  options: {
    'port-base': { type: 'string', default: String(DEFAULT_PORT_BASE) },
    'console-port': { type: 'string' },
    state: { type: 'string' },
    exit: { type: 'boolean', default: false },
    'no-walk': { type: 'boolean', default: false },
  },
  run({ values }) {
    const portBase = readPortBase(values['port-base'])
    const consolePort =
      values['console-port'] === undefined ? consolePortOf(portBase) : readConsolePort(values['console-port'])
    const stateDir = values.state === undefined ? DEFAULT_STATE_DIR : resolveFromCaller(values.state)
    stopOnSignals()
    return start({ portBase, consolePort, stateDir, exit: values.exit, walk: !values['no-walk'] }).catch(
      (error: unknown) => {
        if (!stopping.signal.aborted) throw error
        console.log('Stopped.')
        return 0
      },
    )
  },
})
// Exits even if a client keeps a connection open.
process.exit()

function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(130)
      stopping.abort()
    })
}

async function start({ portBase, consolePort, stateDir, exit, walk }: Options): Promise<number> {
  const step = stepPrinter()
  const { startPlatform } = await import('@svc/platform')
  // The walk-through reads its own mail.
  let serving = false
  const platform = await startPlatform({
    portBase,
    consolePort,
    stateDir,
    onStep: step,
    modelFiles: true,
    sdkReference: true,
    witness: true,
    onLog: logFile(stateDir),
    onMail: (mail) => {
      if (serving) console.log(lineOf(mail))
    },
    signal: stopping.signal,
  })
  try {
    const passed = walk ? await Promise.race([walkThrough(platform), aborted()]) : true
    if (passed === 'aborted') return 0
    if (walk) step(passed ? 'walk-through passed' : 'walk-through FAILED')
    if (exit) return passed ? 0 : 1
    printServices(platform, stateDir)
    serving = true
    await aborted()
    return 0
  } finally {
    await platform.stop()
    console.log('Stopped.')
  }
}

async function walkThrough({ urls, secrets, gateway, mail }: Platform): Promise<boolean> {
  const { walkthrough } = await import('./walkthrough.ts')
  return walkthrough({ urls, secrets, gatewayUrl: gateway.url, mail, print: (line) => console.log(`  ${line}`) })
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

function printServices({ urls, consoleUrl, identityProviderUrl, mail }: Platform, stateDir: string): void {
  console.log()
  for (const [name, url] of Object.entries({ ...urls, console: consoleUrl })) console.log(`  ${name.padEnd(12)}${url}`)
  console.log(`\nGoogle and Microsoft are played by ${identityProviderUrl}, where anyone can sign in as anyone.`)
  console.log(`\nMail is shown here, with the codes in it, and written to ${mail.folder} until the platform stops.`)
  console.log(`Logs: ${join(stateDir, 'logs/workers.log')}. Ctrl-C stops.`)
}
