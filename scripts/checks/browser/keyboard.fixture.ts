import type { Page } from 'playwright-core'

/** More than a page has parts that take the focus. */
const MAX_TABS = 80

/** What has the focus, by the name that a screen reader says. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const active = document.activeElement
    const label =
      active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement ? active.labels?.[0] : null
    return (active?.getAttribute('aria-label') ?? (label ?? active)?.textContent ?? '').trim()
  })

/** Somebody without a mouse: moves the focus with Tab until it is on a part of the page, and fails if it never is. */
export function steered(page: Page) {
  const reach = async (name: string | RegExp) => {
    const passed: string[] = []
    // A part may still be loading, or wait for a request.
    await page.getByText('One moment').waitFor({ state: 'detached' })
    for (let tabs = 0; tabs < MAX_TABS; tabs++) {
      await page.keyboard.press('Tab')
      const at = await focused(page)
      if (typeof name === 'string' ? at === name : name.test(at)) return
      passed.push(at)
    }
    throw new Error(`Tab does not reach “${name}”, but: ${passed.join(' · ')}`)
  }
  return {
    press: async (name: string | RegExp): Promise<void> => {
      await reach(name)
      await page.keyboard.press('Enter')
    },
    type: async (name: string, text: string): Promise<void> => {
      await reach(name)
      await page.keyboard.type(text)
    },
  }
}
