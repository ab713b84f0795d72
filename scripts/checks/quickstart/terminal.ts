import { type ChildProcess, spawn } from 'node:child_process'

interface Terminal {
  readonly child: ChildProcess
  readonly printed: () => string
}

const terminals: Terminal[] = []

export interface Printed {
  /** Null while it runs. */
  readonly code: number | null
  readonly output: string
}

/**
 * Runs commands as a person would paste them: together, in one shell. Returns when they end, or as soon as `isReady`
 * accepts what they have printed: a server goes on.
 */
export function paste(
  commands: string,
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  isReady: (output: string) => boolean = () => false,
): Promise<Printed> {
  return new Promise((resolve) => {
    // A process group, so that everything that a command starts ends with it. Vite ends with its standard input.
    const child = spawn('sh', ['-c', commands], { ...where, stdio: 'pipe', detached: true })
    let output = ''
    terminals.push({ child, printed: () => output })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (isReady(output)) resolve({ code: null, output })
      })
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** The end of what was printed by each, and how it ended. */
export function transcript(): string {
  return terminals
    .map(({ child: { exitCode, signalCode }, printed }) => `${printed().slice(-2_000)}— ${exitCode ?? signalCode}`)
    .join('\n')
}

const PATIENCE_MS = 30_000

/** Ends the servers as Ctrl-C does, and waits for them. */
export async function closeTerminals(): Promise<void> {
  const running = terminals.filter(({ child: { exitCode, signalCode } }) => exitCode === null && signalCode === null)
  const ended = running.map(({ child }) => new Promise((resolve) => child.once('exit', resolve)))
  const end = (signal: NodeJS.Signals) => {
    for (const { child } of running) if (child.pid !== undefined) signalGroup(child.pid, signal)
  }
  end('SIGINT')
  const timer = setTimeout(() => end('SIGKILL'), PATIENCE_MS)
  await Promise.all(ended)
  clearTimeout(timer)
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // All of the group have ended.
  }
}

/** The environment of somebody new: an empty home, and nothing of the process that runs the tests. */
export function freshEnvironment(home: string, root: string): NodeJS.ProcessEnv {
  // A certificate of the network is not of the process.
  const own = /^(?:HOME|INIT_CWD|NODE_(?!EXTRA_CA_CERTS).*|XDG_.*|VITEST.*|TEST|CI|BASE_URL|MODE|DEV|PROD|SSR)$/
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.startsWith(root))
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name))
  return { ...Object.fromEntries(kept), HOME: home, PATH: path.join(':') }
}
