import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { hasObjects, type ObjectCommits, reportObjects } from './object-commits.ts'

const TO_NEW = { 'cloudflare-workers-version-overrides': 'svc-core="core-2"' }
const urls = Object.fromEntries(WORKER_NAMES.map((worker) => [worker, `https://${worker}.test`])) as Record<
  WorkerName,
  string
>

/** Answers one after another, the last one again and again. */
async function reported(percentage: number, answers: readonly (ObjectCommits['objects'] | null)[]) {
  const printed: string[] = []
  const asked: string[] = []
  let slept = 0
  const send = ((input: string, init: RequestInit) => {
    const objects = answers[Math.min(asked.length, answers.length - 1)]
    asked.push(`${input} ${new Headers(init.headers).get('cloudflare-workers-version-overrides')}`)
    return Promise.resolve(objects ? Response.json({ objects }) : new Response(null, { status: 404 }))
  }) as typeof fetch
  const sleep = (ms: number) => {
    slept += ms
    return Promise.resolve()
  }
  const print = (line: string) => printed.push(line)
  await reportObjects({ urls, workers: ['core', 'docs'], sha: 'b', sleep, fetch: send, print }, percentage, TO_NEW)
  return { printed, asked, slept }
}

it('asks all services that have objects', () => {
  expect(WORKER_NAMES.filter((worker) => !hasObjects(worker))).toEqual(['docs'])
})

it.each([5, 50])('counts at %i percent how many classes run the new commit', async (percentage) => {
  expect(await reported(percentage, [{ IDENTITIES: 'b', INBOXES: 'a', COUNTERS: null }])).toEqual({
    printed: [`${percentage} %: objects run the new commit in 1 of 3 classes`],
    asked: ['https://core.test/health/objects svc-core="core-2"'],
    slept: 0,
  })
})

it('waits at 100 percent until the objects have changed', async () => {
  const old = { IDENTITIES: 'b', INBOXES: 'a' }
  const { printed, asked, slept } = await reported(100, [old, null, old, { IDENTITIES: 'b', INBOXES: 'b' }])
  expect(printed).toEqual(['100 %: objects run the new commit in 2 of 2 classes'])
  expect(asked).toHaveLength(4)
  expect(slept).toBe(6_000)
})

it('names those that do not follow, and fails nothing', async () => {
  const { printed, slept } = await reported(100, [{ IDENTITIES: 'b', INBOXES: 'a', COUNTERS: null }])
  expect(printed).toEqual([
    '100 %: core: INBOXES is build a, COUNTERS did not answer',
    '100 %: objects run the new commit in 1 of 3 classes',
  ])
  expect(slept).toBe(60_000)
})

it('says if a service does not tell', async () => {
  expect((await reported(5, [null])).printed).toEqual([
    '5 %: core does not tell which code its objects run',
    '5 %: objects run the new commit in 0 of 0 classes',
  ])
})
