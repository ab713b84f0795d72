import { sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it } from 'vitest'

const { consoleUrl } = sharedPlatform()

/** The tests run with another NODE_ENV, by which Vite would make a development build: it names the source of each element. */
it('the console that is tested is the one that people get, whose files name no file of this machine', async () => {
  const page = await (await fetch(`${consoleUrl}/verify/`, { headers: { accept: 'text/html' } })).text()
  const paths = [...page.matchAll(/"(\/assets\/[^"]+\.js)"/g)].flatMap(([, path]) => path ?? [])
  expect(paths.length).toBeGreaterThan(1)
  const scripts = await Promise.all(paths.map(async (path) => (await fetch(consoleUrl + path)).text()))
  expect(scripts.filter((script) => script.includes('.tsx'))).toEqual([])
})
