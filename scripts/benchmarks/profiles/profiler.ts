/** The profiler of one Worker of the local runtime, over the protocol of its debugger. */

/** Between two samples, microseconds. */
const INTERVAL_US = 200

interface Target {
  readonly id: string
  readonly webSocketDebuggerUrl: string
}
interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly scriptId: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
}

/** Where a Worker was, and how often. */
export interface Sample {
  readonly functionName: string
  /** The source file, from the comment that the bundler writes above it; null for the runtime itself. */
  readonly file: string | null
  readonly count: number
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

export class Profiler {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, Waiting>()
  readonly #scripts = new Map<string, readonly string[]>()
  #calls = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#take(String(data)))
  }

  /** Of `svc-core`, by the address of the runtime’s debugger. */
  static async of(worker: string, inspector: URL): Promise<Profiler> {
    const address = `http://${inspector.host}/json`
    const targets = (await (await fetch(address)).json()) as Target[]
    const target = targets.find(({ id }) => id === `core:user:${worker}`)
    if (!target) throw new Error(`the runtime has no Worker ${worker}`)
    const socket = new WebSocket(target.webSocketDebuggerUrl)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error(`no debugger at ${target.webSocketDebuggerUrl}`)))
    })
    const profiler = new Profiler(socket)
    await profiler.#call('Profiler.enable')
    await profiler.#call('Profiler.setSamplingInterval', { interval: INTERVAL_US })
    return profiler
  }

  async start(): Promise<void> {
    await this.#call('Profiler.start')
  }

  async stop(): Promise<Sample[]> {
    // Scripts are read afterwards: a debugger slows what it watches.
    const { profile } = (await this.#call('Profiler.stop')) as { readonly profile: Profile }
    await this.#call('Debugger.enable')
    // Not by the time between two samples: after a wait, that is the wait.
    const counts = new Map<number, number>()
    for (const id of profile.samples) counts.set(id, (counts.get(id) ?? 0) + 1)
    const samples: Sample[] = []
    for (const { id, callFrame } of profile.nodes) {
      const count = counts.get(id)
      if (count === undefined) continue
      const { functionName, scriptId, lineNumber } = callFrame
      samples.push({ functionName, file: await this.#fileAt(scriptId, lineNumber), count })
    }
    return samples
  }

  close(): void {
    this.#socket.close()
  }

  async #fileAt(scriptId: string, line: number): Promise<string | null> {
    if (scriptId === '0') return null
    const known = this.#scripts.get(scriptId)
    const lines = known ?? (await this.#linesOf(scriptId))
    if (!known) this.#scripts.set(scriptId, lines)
    for (let at = line; at >= 0; at--) {
      const [, file] = /^\/\/ ((?:packages|workers|node_modules)\/\S+)$/.exec(lines[at] ?? '') ?? []
      if (file !== undefined) return file
    }
    return null
  }

  async #linesOf(scriptId: string): Promise<string[]> {
    const source = await this.#call('Debugger.getScriptSource', { scriptId })
    const { scriptSource } = source as { readonly scriptSource: string }
    return scriptSource.split('\n')
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#calls
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }

  #take(text: string): void {
    const { id, result, error } = JSON.parse(text) as { id?: number; result?: unknown; error?: { message: string } }
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (id === undefined || !waiting) return
    this.#waiting.delete(id)
    if (error) waiting.reject(new Error(error.message))
    else waiting.resolve(result)
  }
}
