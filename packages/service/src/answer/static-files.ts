import { reaching } from '@svc/protocol/base/dependency-fault'

export interface StaticFile {
  readonly body: Uint8Array<ArrayBuffer>
  /** The asset store's tag for this content; null if it has none. */
  readonly etag: string | null
}

/** Files that were deployed as static assets together with the code that reads them. */
export class StaticFiles {
  readonly #assets: Fetcher
  readonly #name: string

  /** `name` is what a log line calls these files if one is missing. */
  constructor(assets: Fetcher, name: string) {
    this.#assets = assets
    this.#name = name
  }

  /** A file that must be there: one that is missing or empty is a fault of the deployment, never an empty answer. */
  async read(path: string): Promise<StaticFile> {
    return reaching(this.#name, async () => {
      const found = await this.#fetch(path)
      if (!found) throw new Error('the file was not deployed')
      return found
    })
  }

  /** Null if there is no such file. */
  find(path: string): Promise<StaticFile | null> {
    return reaching(this.#name, () => this.#fetch(path))
  }

  async #fetch(path: string): Promise<StaticFile | null> {
    // The binding requires a whole URL but uses only the path.
    const response = await this.#assets.fetch(`https://files.invalid${path}`)
    const body = new Uint8Array(await response.arrayBuffer())
    if (response.status === 404) return null
    if (response.status !== 200 || body.byteLength === 0) throw new Error('the file cannot be read')
    return { body, etag: response.headers.get('etag') }
  }
}
