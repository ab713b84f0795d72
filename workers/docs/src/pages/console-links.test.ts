import { expect, it } from 'vitest'
import { withConsole } from './console-links.ts'

const HTML = '<p>Before</p>\n<p><a href="https://console.invalid/requests#core.readHead">Open</a></p>\n<p>After</p>\n'
const MARKDOWN = 'Before\n\n[Open](https://console.invalid/requests#core.readHead)\n\nAfter\n'

it('links to the console of the deployment', () => {
  for (const text of [HTML, MARKDOWN])
    expect(withConsole(text, 'https://console.example')).toContain('https://console.example/requests#core.readHead')
})

it('leaves the whole paragraph out where there is no console', () => {
  expect(withConsole(HTML, '')).toBe('<p>Before</p>\n<p>After</p>\n')
  expect(withConsole(MARKDOWN, '')).toBe('Before\n\nAfter\n')
})
