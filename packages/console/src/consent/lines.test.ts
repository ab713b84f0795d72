import { describe, expect, it } from 'vitest'
import { changesOf, standingOf } from './declaration.ts'
import { linesOf, pathOf } from './lines.ts'

const refused = { use: 'notAllowed' } as const
const PROJECTIONS = {
  content_usage: 'train-ai=n, search=y',
  content_signal: 'search=yes, ai-train=no',
  tdm_reservation: 1,
  x_robots_tag: 'noai',
  cawg: { 'cawg.ai_training': refused, 'cawg.ai_generative_training': refused },
} as const
const NONE = { content_usage: null, content_signal: null, tdm_reservation: null, x_robots_tag: null, cawg: null }

describe('the lines for a site', () => {
  it('say what is declared, for one path', () => {
    const { headers, meta, robots, tdmrep } = linesOf({ projections: PROJECTIONS }, '/a.jpg')
    expect(headers).toBe('Content-Usage: train-ai=n, search=y\nX-Robots-Tag: noai\nTDM-Reservation: 1')
    expect(meta).toBe('<meta name="robots" content="noai">\n<meta name="tdm-reservation" content="1">')
    expect(robots).toBe('User-agent: *\nContent-Usage: /a.jpg train-ai=n, search=y')
    expect(tdmrep).toBe('[{"location":"/a.jpg","tdm-reservation":1}]')
  })

  it('have the rule without a path only for a whole site', () => {
    expect(linesOf({ projections: PROJECTIONS }, '/').robots).toContain('Content-Signal: search=yes, ai-train=no')
  })

  it('are empty where there is nothing to say', () => {
    expect(Object.values(linesOf({ projections: NONE }, '/'))).toEqual(['', '', '', '', ''])
  })

  it('are for the path of an address, or else the whole site', () => {
    expect(pathOf('https://a.example/b/c?d=e')).toBe('/b/c?d=e')
    expect(pathOf('sha3-384:00')).toBe('/')
    expect(pathOf('http://')).toBe('/')
  })
})

describe('a change', () => {
  it('has only the members that differ', () => {
    const before = { ai_training: 'allow', search: 'allow' } as const
    expect(changesOf(before, { ai_training: 'disallow', search: 'allow' })).toEqual({ ai_training: 'disallow' })
    expect(changesOf(before, before)).toEqual({})
  })
})

describe('somebody who declares', () => {
  const miss = { found: false, hash: 'h'.repeat(16), source: 'default', message: '' } as const

  it('is free to if nobody has', () => {
    expect(standingOf({ answer: miss, history: null }, 'did:svc:a')).toBe('free')
  })

  it('still holds what they took back', () => {
    const history = { creatorDid: 'did:svc:a' } as NonNullable<Parameters<typeof standingOf>[0]['history']>
    expect(standingOf({ answer: miss, history }, 'did:svc:a')).toBe('mine')
    expect(standingOf({ answer: miss, history }, 'did:svc:b')).toBe('theirs')
  })
})
