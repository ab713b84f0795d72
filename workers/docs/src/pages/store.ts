import { reaching } from '@svc/protocol/base/dependency-fault'

export interface StoredFile {
  readonly body: Uint8Array<ArrayBuffer>
  /** The asset store's tag for this content; null if it has none. */
  readonly etag: string | null
}

/** The files of the site, deployed as static assets together with the script that lists the pages. */
export class PageStore {
  readonly #assets: Fetcher

  constructor(assets: Fetcher) {
    this.#assets = assets
  }

  /** A listed page that is missing or empty is a fault of the deployment, never an empty page. */
  async read(path: string): Promise<StoredFile> {
    return reaching('pages', async () => {
      const found = await this.#fetch(path)
      if (!found) throw new Error('the file was not deployed')
      return found
    })
  }

  /** A file that pages load; null if it does not exist. */
  find(path: string): Promise<StoredFile | null> {
    return reaching('pages', () => this.#fetch(path))
  }

  async #fetch(path: string): Promise<StoredFile | null> {
    // The binding requires a whole URL but uses only the path.
    const response = await this.#assets.fetch(`https://pages.invalid${path}`)
    const body = new Uint8Array(await response.arrayBuffer())
    if (response.status === 404) return null
    if (response.status !== 200 || body.byteLength === 0) throw new Error('the file cannot be read')
    return { body, etag: response.headers.get('etag') }
  }
}
