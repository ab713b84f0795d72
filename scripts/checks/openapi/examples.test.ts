import { DocumentedAnswers } from '@svc/platform/documented-answers'
import { type Operation, readApi, type Schema } from '@svc/platform/documented-api'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { expect, it } from 'vitest'

const api = readApi()
const documented = new DocumentedAnswers(api)

interface Body {
  readonly name: string
  readonly type: string
  readonly schema?: Schema
  readonly example?: unknown
}

/** The bodies of requests and answers, HEAD and redirects apart. */
function bodiesOf({ documented: { operationId, requestBody, responses } }: Operation): Body[] {
  const contents = Object.entries(responses).map(([status, { content }]) => [status, content ?? {}] as const)
  return [['request', requestBody?.content ?? {}] as const, ...contents].flatMap(([name, content]) =>
    Object.entries(content).map(([type, media]) => ({ name: `${operationId} ${name} ${type}`, type, ...media })),
  )
}

const bodies = api.operations
  .filter(({ method }) => method !== 'HEAD')
  .flatMap((operation) => bodiesOf(operation).map((body) => ({ service: operation.service, ...body })))
  .filter(({ type, schema }) => type.includes('json') && schema?.['type'] !== 'string')

/** Bodies without an example: a description of the API would contain itself. */
const WITHOUT = new Set(['readOpenapi 200 application/json'])

it.each(WORKER_NAMES)('%s shows an example of every body', (worker) => {
  const missing = bodies.filter(({ service, example }) => service === worker && example === undefined)
  const names = missing.map(({ name }) => name).filter((name) => !WITHOUT.has(name))
  expect(names, 'to record them, see scripts/checks/README.md').toEqual([])
})

it('shows examples that match their schemas', () => {
  const faults = bodies.flatMap(({ service, name, schema, example }) => {
    if (example === undefined || schema === undefined) return []
    const fault = documented.faultOfBody(service, schema, example)
    return fault === null ? [] : [`${service} ${name}: ${fault}`]
  })
  expect(faults).toEqual([])
})

it('shows long values in full', () => {
  const shortened = bodies.flatMap(({ name, example }) =>
    [...(JSON.stringify(example) ?? '').matchAll(/"[\w-]{6,16}…(?:\d+…)?[\w-]{6,8}"/g)].map(
      ([text]) => `${name}: ${text}`,
    ),
  )
  expect(shortened).toEqual([])
})

it('shows no error but by what the service answers', () => {
  const errors = bodies.filter(({ name }) => / [45]\d\d /.test(name))
  expect(errors.length).toBeGreaterThan(1_000)
  for (const { name, example } of errors) expect(example, name).toBeDefined()
})
