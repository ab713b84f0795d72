import { describe, expect, it } from 'vitest'
import { reportTo } from './report.ts'

function started() {
  const lines: string[] = []
  const report = reportTo((line) => lines.push(line.replaceAll(/ {2,}/g, '  ')))
  return { ...report, lines }
}

describe('reportTo', () => {
  it('passes while every step gives its expected result', async () => {
    const { show, passed, lines } = started()
    await show('alice: reads', '200', () => Promise.resolve('200'))
    expect(passed()).toBe(true)
    expect(lines).toEqual(['ok  alice: reads  200'])
  })

  it('fails for good after one other result', async () => {
    const { show, passed, lines } = started()
    await show('alice: reads', '200', () => Promise.resolve('404'))
    await show('alice: reads', '200', () => Promise.resolve('200'))
    expect(passed()).toBe(false)
    expect(lines[0]).toBe('FAIL alice: reads  expected 200, came 404')
  })

  it('reports an error as the result, and continues', async () => {
    const { show, passed, lines } = started()
    await show('alice: reads', '200', () => Promise.reject(new TypeError('fetch failed')))
    await show('bob: reads', '200', () => Promise.resolve('200'))
    expect(passed()).toBe(false)
    expect(lines).toEqual(['FAIL alice: reads  expected 200, came TypeError: fetch failed', 'ok  bob: reads  200'])
  })

  it('shows what was expected of a refusal', async () => {
    const { show, lines } = started()
    await show('must fail: a replay', '401', () => Promise.resolve('401'))
    expect(lines).toEqual(['ok  must fail: a replay  expected 401, came 401'])
  })
})
