import { describe, expect, it } from 'vitest'
import { counterAdvances, faultCodeOf, knownTransports, mayBeCopied, wasFramed } from './rules.ts'

describe('counterAdvances', () => {
  it.each([
    [0, 0, true],
    [0, 1, true],
    [5, 6, true],
    [5, 4_294_967_295, true],
    [5, 5, false],
    [5, 4, false],
    [5, 0, false],
    [1, 0, false],
  ])('from %d to %d: %s', (stored, presented, advances) => {
    expect(counterAdvances(stored, presented)).toBe(advances)
  })
})

describe('mayBeCopied', () => {
  it.each([
    [false, false, false],
    [false, true, true],
    [true, false, true],
    [true, true, true],
  ])('stored %s, presented %s: %s', (stored, presented, may) => {
    expect(mayBeCopied(stored, presented)).toBe(may)
  })
})

describe('knownTransports', () => {
  it.each([
    [
      ['internal', 'hybrid'],
      ['internal', 'hybrid'],
    ],
    [
      ['a-later-one', 'usb', 'usb'],
      ['a-later-one', 'usb'],
    ],
    [['', 'x'.repeat(33), 7, null, 'USB', 'nfc'], ['nfc']],
    [Array.from({ length: 20 }, (_, i) => `t${i}`), Array.from({ length: 8 }, (_, i) => `t${i}`)],
    ['internal', []],
    [null, []],
    [undefined, []],
  ])('of %j: %j', (sent, known) => {
    expect(knownTransports(sent)).toEqual(known)
  })
})

describe('wasFramed', () => {
  it.each([
    [{}, false],
    [{ crossOrigin: false, topOrigin: null, androidPackageName: 'com.example' }, false],
    [{ crossOrigin: null }, false],
    [{ crossOrigin: true }, true],
    [{ crossOrigin: false, topOrigin: 'https://evil.example' }, true],
  ])('%j: %s', (data, framed) => {
    expect(wasFramed(new TextEncoder().encode(JSON.stringify(data)))).toBe(framed)
  })
})

describe('faultCodeOf', () => {
  it('says nothing of what was sent', () => {
    expect(faultCodeOf(new Error('canary: Unexpected RP ID hash'))).toBe('unreadable')
    expect(faultCodeOf('canary')).toBe('unreadable')
  })
})
