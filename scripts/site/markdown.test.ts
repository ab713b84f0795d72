import { describe, expect, it } from 'vitest'
import { renderMarkdown } from './markdown.ts'

describe('renderMarkdown', () => {
  it('takes title and summary from the page', () => {
    const page = renderMarkdown('# Notes\n\nEncrypted `notes`, for *one* owner.\n\n## Reading\n')
    expect(page).toMatchObject({ title: 'Notes', summary: 'Encrypted notes, for one owner.' })
  })

  it('gives every heading its own id', () => {
    const { headings } = renderMarkdown('# A\n\n## Limits\n\n## Limits\n')
    expect(new Set(headings.map(({ id }) => id)).size).toBe(3)
    expect(headings.map(({ level }) => level)).toEqual([1, 2, 2])
  })

  it('escapes raw HTML', () => {
    const { html } = renderMarkdown('# A\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n')
    expect(html).not.toMatch(/<script|<img/)
  })

  it('refuses links that run scripts', () =>
    expect(renderMarkdown('# A\n\n[x](javascript:alert(1))\n').html).not.toContain('href="javascript:'))

  it('lets a wide table scroll by keyboard', () =>
    expect(renderMarkdown('# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n').html).toContain('tabindex="0"'))

  it('drops comments for editors', () =>
    expect(renderMarkdown('# A\n\n<!-- generated -->\ntext\n').html).not.toContain('generated'))
})
