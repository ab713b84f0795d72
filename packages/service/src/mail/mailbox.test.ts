import { describe, expect, it } from 'vitest'
import { mailboxOf } from './mailbox.ts'

describe('mailboxOf', () => {
  it.each([
    ['ada@example.org', ['Ada@Example.ORG', 'ada+one@example.org', 'ADA+two+three@example.org']],
    ['adalovelace@gmail.com', ['a.d.a.lovelace@gmail.com', 'AdaLovelace+x@googlemail.com']],
    ['ada.l@proton.me', ['ada_l@protonmail.com', 'adal@pm.me', 'ada-l+x@proton.me']],
    ['ada@icloud.com', ['ada@me.com', 'ada+x@mac.com']],
    ['ada.l@yandex.ru', ['ada-l@ya.ru']],
  ])('gives one name to %s and its spellings', (address, spellings) => {
    for (const same of spellings) expect(mailboxOf(same), same).toEqual(mailboxOf(address))
  })

  it.each([
    ['ada@example.org', 'a.da@example.org'],
    ['ada@example.org', 'ada@example.com'],
    ['ada@outlook.com', 'a.da@outlook.com'],
    ['ada@gmail.com', 'adb@gmail.com'],
  ])('tells %s from %s', (address, other) => {
    expect(mailboxOf(address).name).not.toBe(mailboxOf(other).name)
  })

  it.each([
    ['ada@mail.example.org', 'example.org'],
    ['ada@example.org', 'example.org'],
    ['ada@a.b.example.co.uk', 'example.co.uk'],
    ['ada@b.example.de', 'example.de'],
    ['ada@one.x9q.de', 'x9q.de'],
    ['ada@two.x9q.de', 'x9q.de'],
    ['ada@a.b.ab.io', 'ab.io'],
    ['ada@mail.example.com.au', 'example.com.au'],
    ['ada@mail.example.ac.jp', 'example.ac.jp'],
    ['ada@co.uk', 'co.uk'],
    ['ada@localhost', 'localhost'],
    ['ada@gmail.com', null],
  ])('counts %s with the domain %s', (address, domain) => {
    expect(mailboxOf(address).domain).toBe(domain)
  })
})
