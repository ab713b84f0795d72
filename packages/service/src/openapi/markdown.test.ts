import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineOperation, route } from '../app/operation.ts'
import { toy } from '../app/service.fixture.ts'
import { markdownOf } from './markdown.ts'

const write = defineOperation({
  id: 'write',
  method: 'post',
  path: '/things/{id}',
  summary: 'Write a thing',
  description: 'In full.',
  auth: 'none',
  limit: { counter: 'write', limit: 7, protects: 'work' },
  body: z.strictObject({ a: z.number() }),
  maxBodyBytes: 99,
  answer: { status: 201, description: 'Written', schema: z.strictObject({ a: z.number() }) },
})
const retired = [{ path: '/old/', error: 'endpoint_retired' as const }]
const { service } = toy([route<unknown>()(write, () => ({ a: 1 }))], { markdownPaths: ['/docs.md'], retired })

describe('markdownOf', () => {
  const text = markdownOf(service.document())

  it('begins with the title and version', () => {
    expect(text).toMatch(/^# Toy\n\nVersion 1\.2\.3\. A toy\.\n/)
  })

  it('has one section for each operation', () => {
    const sections = text.match(/^## .+$/gm)
    expect(sections).toEqual([
      '## POST /things/{id}',
      '## GET /.well-known/svc',
      '## GET /openapi.json',
      '## HEAD /openapi.json',
      '## GET /docs.md',
    ])
  })

  it('says once what every read may answer, and what is gone', () => {
    expect(text.match(/canonical host/g)).toHaveLength(1)
    expect(text).toContain('\n\nAny read, 301: Only if the host is an alias')
    expect(text).toContain('\n\nRetired, 410 for every method:\n\n- `/old/`: `endpoint_retired`\n')
    expect(text).not.toContain('| 301 |')
  })

  it('says what an operation needs, costs and answers', () => {
    const section = text.split('## ')[1]
    expect(section).toContain('Write a thing\n\nIn full.')
    expect(section).toContain('- Credential: none')
    expect(section).toContain('- Limits in 60 seconds: 200 (tier default), 7 on this route')
    expect(section).toContain('- Body: at most 99 bytes of JSON')
    expect(section).toContain('| 201 | Written |')
    expect(section).toContain('| 413 | `payload_too_large`: The body exceeds the size limit of this route |')
  })
})
