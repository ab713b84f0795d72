/** Answers that are not in the documented form, to every method that verifies: none leaves it as an error of the runtime. */
import { describe, expect, it } from 'vitest'
import { HistoryError } from '../../src/memory/errors.ts'
import { ServiceError } from '../../src/transport/service-error.ts'
import { VerificationError } from '../../src/verification/verification-error.ts'
import { ask, clientIn, type Situation } from '../lies/situation.ts'
import { LIES } from '../lies/table.ts'
import { malformedTexts, wrongMembersOf } from './texts.ts'

const titled = LIES.map((method) => ({ ...method, title: [method.name, method.given].join(' ').trim() }))

/** The answers that the method reads, by path. */
async function readBy(name: string, situation: Situation): Promise<Map<string, string>> {
  const read = new Map<string, string>()
  situation.distort = async (answer, path) => {
    read.set(path, await answer.clone().text())
    return answer
  }
  await ask(name, situation, clientIn(situation))
  return read
}

/** What the method throws if one of its answers has this text; null if it takes it. */
async function thrownAt(name: string, situation: Situation, path: string, text: string): Promise<unknown> {
  situation.distort = async (answer, at) => (at === path ? new Response(text) : answer)
  return ask(name, situation, clientIn(situation)).then(
    () => null,
    (error: unknown) => error,
  )
}

const isDocumented = (error: unknown) =>
  error === null || error instanceof VerificationError || error instanceof HistoryError || error instanceof ServiceError

/** Methods of one service read an answer alike: each member of it is wrong for the first of them. */
const seen = new Set<string>()
function isNew(name: string, path: string, what: string): boolean {
  const key = [name.split('.').slice(0, -1).join('.'), path.replaceAll(/[\w-]{20,}/g, '*'), what].join(' ')
  const isFirst = !seen.has(key)
  seen.add(key)
  return isFirst
}

describe.each(titled)('$title', ({ name, honest }) => {
  it('says of a malformed answer what is wrong with it', async () => {
    const situation = await honest()
    for (const [path, text] of await readBy(name, situation)) {
      for (const malformed of [...malformedTexts(text), ...wrongMembersOf(text)]) {
        if (!isNew(name, path, malformed.what)) continue
        const error = await thrownAt(name, situation, path, malformed.text)
        expect(isDocumented(error), `${path}, ${malformed.what}: ${String(error)}`).toBe(true)
      }
    }
  }, 60_000)
})
