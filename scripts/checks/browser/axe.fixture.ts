import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { keepScreenshot } from './browser.fixture.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** What the colors of a theme can break. Everything else is the same in both. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']
export const DESKTOP = { width: 1280, height: 900 }
export const PHONE = { width: 390, height: 844 }

type Theme = 'light' | 'dark'

interface Found {
  readonly rule: string
  readonly theme: Theme
  readonly nodes: readonly string[]
}

/** What axe finds on the page as it is shown now, by these rules or all, and in the colors of the other theme. */
export async function accessibilityFaults(page: Page, only?: readonly string[]): Promise<Found[]> {
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  const [shown, other] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  const faults = await faultsIn(page, shown, only)
  await page.emulateMedia({ colorScheme: other })
  const rules = COLOR_RULES.filter((rule) => only?.includes(rule) ?? true)
  const inOther = rules.length === 0 ? [] : await faultsIn(page, other, rules)
  await page.emulateMedia({ colorScheme: shown })
  return [...faults, ...inOther]
}

async function faultsIn(page: Page, theme: Theme, only?: readonly string[]): Promise<Found[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const found = await page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>
      }
    }
    const root = document.documentElement
    const isBare = [root, document.body].every(
      (element) => getComputedStyle(element).backgroundColor === 'rgba(0, 0, 0, 0)',
    )
    // axe takes a page that paints no background for a white one, in dark too. The browser paints this one.
    if (isBare) root.style.backgroundColor = 'Canvas'
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      ...(rules === undefined ? {} : { runOnly: [...rules] }),
    })
    if (isBare) root.style.backgroundColor = ''
    return violations.map(({ id, nodes }) => ({
      rule: id,
      nodes: nodes.slice(0, 3).map(({ target }) => String(target)),
    }))
  }, only)
  return found.map((one) => ({ ...one, theme }))
}

/** By how many pixels the page is wider than the screen. */
export const beyondScreen = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** The page fits the screen, and axe finds nothing on it, in either theme. Keeps a screenshot of the one that is shown. */
export async function looksWell(page: Page, name: string): Promise<void> {
  await keepScreenshot(page, name)
  expect(await beyondScreen(page), name).toBe(0)
  expect(await accessibilityFaults(page), name).toEqual([])
}
