import { reaching } from '@svc/protocol/base/dependency-fault'

/** The files of the sign-in page: the folder `page/` and the script that the local start builds. */
const FILES = ['sign-in.html', 'sign-in.css', 'sign-in.js'] as const
export type PageFile = (typeof FILES)[number]

/** The page is for trying sign-in on one machine; no other deployment has it. */
export class PageStore {
  readonly #assets: Fetcher
  readonly #isLocal: boolean

  constructor(assets: Fetcher, isLocal: boolean) {
    this.#assets = assets
    this.#isLocal = isLocal
  }

  /** Null except on a local deployment. A file that was not built is a fault. */
  async read(file: PageFile): Promise<ArrayBuffer | null> {
    if (!this.#isLocal) return null
    return reaching('page', async () => {
      // The binding requires a whole URL but uses only the path.
      const response = await this.#assets.fetch(`https://page.invalid/${file}`)
      const bytes = await response.arrayBuffer()
      if (response.status !== 200 || bytes.byteLength === 0) throw new Error('the file was not built')
      return bytes
    })
  }
}
