import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const DESKTOP = { width: 1280, height: 900 }
export const PHONE = { width: 390, height: 844 }

interface Found {
  readonly rule: string
  readonly nodes: readonly string[]
}

/** What axe finds on the page as it is shown now. */
export async function accessibilityFaults(page: Page, only?: readonly string[]): Promise<Found[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>
      }
    }
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      ...(rules === undefined ? {} : { runOnly: [...rules] }),
    })
    return violations.map(({ id, nodes }) => ({
      rule: id,
      nodes: nodes.slice(0, 3).map(({ target }) => String(target)),
    }))
  }, only)
}

/** By how many pixels the page is wider than the screen. */
export const beyondScreen = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
