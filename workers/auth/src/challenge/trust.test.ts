import { describe, expect, it } from 'vitest'
import { trustScore } from './trust.ts'

const facts = { hostname: 'app.example', action: 'register', challengedAt: 1_000_000, isInteractive: false }

describe('trustScore', () => {
  it.each([
    [0, false, 1],
    [0, true, 0.8],
    [150_000, false, 0.85],
    [300_000, false, 0.7],
    [300_000, true, 0.5],
    [-30_000, false, 1],
    [900_000, true, 0.5],
  ])('%d ms after the challenge, interactive %s, is %d', (age, isInteractive, score) => {
    expect(trustScore({ ...facts, isInteractive }, facts.challengedAt + age)).toBe(score)
  })
})
