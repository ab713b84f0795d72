/**
 * The local runtime: Miniflare and workerd. Loading it takes a second, so a command loads it when it starts one.
 *
 * @module
 */
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare'
import { type LocalMail, type Mail, mailFolder } from '../local/mail.ts'
import { LocalMetrics, metricsFile } from '../local/metrics.ts'
import { SetupError } from '../workspace.ts'

export interface RuntimeOptions {
  readonly host: string
  readonly stateDir: string
  /** Takes what the runtime says of mail out of the log. */
  readonly mail: LocalMail
  readonly onLog: (line: string) => void
  readonly onMail?: (mail: Mail) => void
  readonly onRestart: () => void
  readonly inspectorPort?: number
}

/** A runtime that is starting. */
export function newRuntime(workers: V4WorkerOptions[], options: RuntimeOptions): Miniflare {
  const settings = settingsOf(workers, options)
  return keepingSignals(() => new Miniflare(settings))
}

function settingsOf(
  workers: V4WorkerOptions[],
  { host, stateDir, mail, onLog, onMail = () => {}, onRestart, inspectorPort }: RuntimeOptions,
) {
  const metrics = new LocalMetrics(metricsFile(stateDir))
  const takesMail = (message: string) => {
    const taken = mail.take(message)
    if (taken) onMail(taken)
    return taken !== null
  }
  return convertV4MiniflareOptions({
    host,
    port: 0,
    cf: false,
    telemetry: { enabled: false },
    ...(inspectorPort === undefined ? {} : { inspectorPort }),
    log: new LineLog(onLog, takesMail),
    handleStructuredLogs: ({ message }) => {
      if (!metrics.take(message, Date.now())) onLog(message)
    },
    unsafeHandleRuntimeRestart: onRestart,
    resourcePersistencePath: join(stateDir, 'v3'),
    // Mail is written below it, as text, and deleted when the platform stops.
    resourceTmpPath: mailFolder(stateDir),
    workers,
  })
}

/**
 * Waits until it has started. Records the runtime's process id early: if this process is killed before that, the next start
 * cannot free the ports.
 */
export async function startedRuntime(miniflare: Miniflare, record: () => boolean): Promise<void> {
  const timer = setInterval(() => {
    if (record()) clearInterval(timer)
  }, 50)
  try {
    await miniflare.ready
  } catch (error) {
    const [, reason = String(error)] = /"message":"((?:[^"\\]|\\.)*)"/.exec(String(error)) ?? []
    throw new SetupError(`The Workers failed to start: ${reason.replaceAll('\\n', '\n')}`)
  } finally {
    clearInterval(timer)
  }
  record()
}

/** Miniflare exits the process on a signal. If the caller handles signals, it can stop the platform properly instead. */
function keepingSignals<T>(create: () => T): T {
  const handled = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    .map((signal) => ({ signal, listeners: process.listeners(signal) }))
    .filter(({ listeners }) => listeners.length > 0)
  const created = create()
  for (const { signal, listeners } of handled)
    for (const added of process.listeners(signal).filter((listener) => !listeners.includes(listener)))
      process.off(signal, added)
  return created
}

class LineLog extends Log {
  readonly #onLog: (line: string) => void
  readonly #takesMail: (message: string) => boolean

  constructor(onLog: (line: string) => void, takesMail: (message: string) => boolean) {
    super(LogLevel.WARN)
    this.#onLog = onLog
    this.#takesMail = takesMail
  }

  /** What the runtime says of a mail goes to the mail, and never to the log. */
  override logWithLevel(level: LogLevel, message: string): void {
    if (!this.#takesMail(message)) super.logWithLevel(level, message)
  }

  override log(message: string): void {
    this.#onLog(message)
  }
}
