import { afterAll, expect, it } from 'vitest'
import { accessibilityFaults } from '../axe.fixture.ts'
import { Visit } from '../browser.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

/** A page whose text is too faint in one theme. */
const faintIn = (theme: 'light' | 'dark') => `<!doctype html><html lang="en"><title>Faint</title><style>
  body { background: white; color: black }
  @media (prefers-color-scheme: dark) { body { background: black; color: white } }
  @media (prefers-color-scheme: ${theme}) { p { color: gray; background: dimgray } }
</style><main><h1>Faint</h1><p>Hardly to be read.</p></main>`

it.each([
  ['light', 'light'],
  ['light', 'dark'],
  ['dark', 'light'],
  ['dark', 'dark'],
] as const)('shown in %s, a text that is faint in %s is found, and the page stays as it was', async (shown, faint) => {
  const page = await visit.newPage({ colorScheme: shown })
  await page.setContent(faintIn(faint))
  expect(await accessibilityFaults(page)).toEqual([{ rule: 'color-contrast', theme: faint, nodes: ['p'] }])
  expect(await page.evaluate((theme) => matchMedia(`(prefers-color-scheme: ${theme})`).matches, shown)).toBe(true)
})

it('a page that paints no background is judged on the one that the browser paints', async () => {
  const page = await visit.newPage({ colorScheme: 'dark' })
  const style = ':root { color-scheme: light dark } p { color: light-dark(#444, #bbb) }'
  await page.setContent(
    `<!doctype html><html lang="en"><title>Bare</title><style>${style}</style><main><h1>Bare</h1><p>Read me.</p></main>`,
  )
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.style.backgroundColor)).toBe('')
})
