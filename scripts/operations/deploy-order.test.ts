import { describe, expect, it } from 'vitest'
import { calleesFirst, uploadOrder } from './deploy-order.ts'

const bound = (name: string, services: string[] = [], objects: string[] = []) => ({ name, services, objects })
const none = new Set<string>()

describe('uploadOrder', () => {
  it('puts each Worker after those it binds to', () => {
    const workers = [bound('keys', ['core']), bound('docs'), bound('core')]
    expect(uploadOrder(workers, none).map(({ name }) => name)).toEqual(['docs', 'core', 'keys'])
  })

  it('breaks a cycle at a service binding, and uploads that Worker again at the end', () => {
    const workers = [bound('core'), bound('provenance', ['core', 'pay']), bound('pay', ['core'], ['provenance'])]
    expect(uploadOrder(workers, none)).toEqual([
      { name: 'core', without: [] },
      { name: 'provenance', without: ['pay'] },
      { name: 'pay', without: [] },
      { name: 'provenance', without: [] },
    ])
  })

  it('does not break the cycle at a Worker that only leads to it', () => {
    const workers = [bound('consent', ['provenance']), bound('provenance', ['pay']), bound('pay', [], ['provenance'])]
    expect(uploadOrder(workers, none).map(({ name }) => name)).toEqual(['provenance', 'consent', 'pay', 'provenance'])
  })

  it('leaves nothing out if everything exists, and puts callees first', () => {
    const workers = [bound('provenance', ['pay']), bound('pay', [], ['provenance'])]
    expect(uploadOrder(workers, new Set(['provenance', 'pay']))).toEqual([
      { name: 'pay', without: [] },
      { name: 'provenance', without: [] },
    ])
  })

  it('never leaves out a Durable Object binding', () => {
    const workers = [bound('a', [], ['b']), bound('b', [], ['a'])]
    expect(() => uploadOrder(workers, none)).toThrow('form a cycle: a, b')
  })
})

describe('calleesFirst', () => {
  it('puts each after those it calls, regardless of whose Durable Objects it uses', () => {
    const workers = [bound('provenance', ['core', 'pay']), bound('pay', ['core'], ['provenance']), bound('core')]
    expect(calleesFirst(workers)).toEqual(['core', 'pay', 'provenance'])
  })

  it('does not order by calls that need no order', () => {
    const workers = [bound('svc-keys', ['svc-core']), bound('svc-core', ['svc-keys'])]
    expect(calleesFirst(workers)).toEqual(['svc-core', 'svc-keys'])
    expect(uploadOrder(workers.toReversed(), none)).toEqual([
      { name: 'svc-core', without: ['svc-keys'] },
      { name: 'svc-keys', without: [] },
      { name: 'svc-core', without: [] },
    ])
  })

  it('fails if two call each other', () => {
    expect(() => calleesFirst([bound('a', ['b']), bound('b', ['a'])])).toThrow('a and b call each other')
  })
})
