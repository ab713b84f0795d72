import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { describe, expect, it, vi } from 'vitest'
import { ConfigError } from './config.ts'
import { doneOrDelayed, faultOf } from './log.ts'

describe('faultOf', () => {
  it('says what was thrown and where', () => {
    const fault = faultOf(new TypeError('x'))
    expect(fault).toMatch(/^TypeError \| at /)
    expect(fault).toContain('log.test')
  })

  it.each([
    ['one line', 'canary'],
    ['several lines', 'a\ncanary\n    at canary (canary.ts:1:1)\nb'],
    ['a pattern', '$& canary $1'],
  ])('leaves a message of %s out', (_, message) => {
    expect(faultOf(new Error(message))).not.toContain('canary')
  })

  it('omits anything but an Error', () => {
    expect(faultOf('canary')).toBe('not an Error')
    expect(faultOf(null)).toBe('not an Error')
  })

  it('says which variables a deployment lacks', () => {
    expect(faultOf(new ConfigError('configuration: ENVIRONMENT'))).toBe('configuration: ENVIRONMENT')
  })
})

describe('doneOrDelayed', () => {
  const WORK = { service: 'core', delayed: 'anchors', waiting: 3 } as const

  it('says nothing of work that is done', async () => {
    const warn = vi.spyOn(console, 'warn')
    expect(await doneOrDelayed(WORK, async () => 'done')).toBe(true)
    expect(warn).not.toHaveBeenCalled()
  })

  it('logs what a failure delays, what could not be reached, and no message', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const fault = new DependencyFault('database', { cause: new TypeError('canary') })
    expect(await doneOrDelayed(WORK, () => Promise.reject(fault))).toBe(false)
    expect(
      await doneOrDelayed(WORK, () => {
        throw new RangeError('canary')
      }),
    ).toBe(false)
    const lines = warn.mock.calls.map(([line]) => String(line))
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      {
        ...WORK,
        requestId: expect.any(String) as unknown,
        reason: expect.stringMatching(/^database: TypeError \| at /) as unknown,
      },
      {
        ...WORK,
        requestId: expect.any(String) as unknown,
        reason: expect.stringMatching(/^RangeError \| at /) as unknown,
      },
    ])
    expect(lines.join()).not.toContain('canary')
  })
})
