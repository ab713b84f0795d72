import { describe, expect, it } from 'vitest'
import type { KeptResult } from './kept-results.ts'
import { standingOf } from './standing.ts'

const result = (step: string, commit: string, failed = 0): KeptResult => ({
  step,
  commit,
  passed: 3,
  failed,
  seconds: 1,
  cpuSeconds: 2,
  endedAt: 0,
})
const BROWSER = { name: 'browser', ownTests: /^scripts\/checks\/browser\// }
const since =
  (...files: string[]) =>
  async () =>
    files
const never = async () => {
  throw new Error('the commit itself has a result')
}

describe('what is known of a step', () => {
  it('is the newest result on the commit', async () => {
    const kept = [result('browser', 'a'), result('browser', 'a', 1), result('other', 'a')]
    expect(await standingOf(BROWSER, 'a', kept, never)).toMatchObject({ is: 'failed' })
    expect(await standingOf(BROWSER, 'a', [...kept, result('browser', 'a')], never)).toMatchObject({ is: 'passed' })
  })

  it('is nothing before its first run', async () => {
    expect(await standingOf(BROWSER, 'a', [], never)).toEqual({ is: 'unknown', result: null })
  })

  it('outlives changes that cannot affect it, and no others', async () => {
    const kept = [result('browser', 'a')]
    const at = (...files: string[]) => standingOf(BROWSER, 'b', kept, since(...files))
    expect(await at('.github/CODEOWNERS', 'workers/pay/test/races.test.ts')).toMatchObject({ is: 'unaffected' })
    expect(await at('scripts/checks/browser/keys.test.ts')).toMatchObject({ is: 'unknown' })
    expect(await at('workers/pay/src/app.ts')).toMatchObject({ is: 'unknown' })
    expect(await at('workers/docs/pages/developer/pay.md')).toMatchObject({ is: 'unknown' })
  })

  it('ends with any change for a step that reads every file, after a failure, and where Git knows nothing', async () => {
    const kept = [result('words', 'a'), result('browser', 'a', 1)]
    expect(await standingOf({ name: 'words' }, 'b', kept, since('LICENSE'))).toMatchObject({ is: 'unknown' })
    expect(await standingOf(BROWSER, 'b', kept, since())).toMatchObject({ is: 'unknown' })
    expect(await standingOf({ name: 'words' }, 'b', kept, async () => null)).toMatchObject({ is: 'unknown' })
  })
})
