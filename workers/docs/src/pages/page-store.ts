import { reaching } from '@svc/protocol/dependency-fault'

export interface StoredFile {
  readonly body: Uint8Array<ArrayBuffer>
  /** What the asset store names this content by; null where it names none. */
  readonly etag: string | null
}

/** The files of the site, deployed as static assets in one version with the script that lists the pages. */
export class PageStore {
  readonly #assets: Fetcher

  constructor(assets: Fetcher) {
    this.#assets = assets
  }

  /** What is listed and not there, or empty, is a fault of the deployment, and never a page without a text. */
  async read(path: string): Promise<StoredFile> {
    return reaching('pages', async () => {
      const found = await this.#fetch(path)
      if (!found) throw new Error('the file was not deployed')
      return found
    })
  }

  /** A file that pages load; null when there is none of that name. */
  find(path: string): Promise<StoredFile | null> {
    return reaching('pages', () => this.#fetch(path))
  }

  async #fetch(path: string): Promise<StoredFile | null> {
    // The binding takes a whole URL and looks at the path alone.
    const response = await this.#assets.fetch(`https://pages.invalid${path}`)
    const body = new Uint8Array(await response.arrayBuffer())
    if (response.status === 404) return null
    if (response.status !== 200 || body.byteLength === 0) throw new Error('the file cannot be read')
    return { body, etag: response.headers.get('etag') }
  }
}
