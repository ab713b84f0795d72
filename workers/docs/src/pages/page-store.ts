import { reaching } from '@svc/protocol/dependency-fault'
import { type Page, pathOf } from './pages.ts'

/** The texts: the folder `pages/`, deployed as static assets in one version with the script that lists them. */
export class PageStore {
  readonly #assets: Fetcher

  constructor(assets: Fetcher) {
    this.#assets = assets
  }

  /** A page that is listed and not there, or empty, is a fault of the deployment, and never a page without a text. */
  read(page: Page): Promise<ArrayBuffer> {
    return reaching('pages', async () => {
      // The binding takes a whole URL and looks at the path alone.
      const response = await this.#assets.fetch(`https://pages.invalid${pathOf(page)}.md`)
      const markdown = await response.arrayBuffer()
      if (response.status !== 200 || markdown.byteLength === 0) throw new Error('the page was not deployed')
      return markdown
    })
  }
}
