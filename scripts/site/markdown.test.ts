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

  it('links to each heading but the title', () => {
    const { html } = renderMarkdown('# A\n\n## Reading "all"\n')
    expect(html.match(/class="anchor"/g)?.length).toBe(1)
    expect(html).toContain('href="#reading-all" aria-label="Link to Reading &quot;all&quot;"')
  })

  it('has no header cell without a name', () =>
    expect(renderMarkdown('# A\n\n| | b |\n|---|---|\n| 1 | 2 |\n').html).not.toMatch(/<th[^>]*><\/th>/))

  it('shows the beginning of a block of values, and says where all of it is', () => {
    const values = Array.from({ length: 100 }, () => `"${'A'.repeat(400)}"`).join('\n')
    const { html } = renderMarkdown(`# A\n\n\`\`\`json example=a\n${values}\n\`\`\`\n`)
    expect(html.length).toBeLessThan(8_000)
    expect(html).toContain('<figcaption>Shortened here: the Markdown of this page has all of it</figcaption>')
  })

  it('says what is output, what does not run, and where to save a file', () => {
    const { html } = renderMarkdown(
      '# A\n\n```text output\n1\n```\n\nx\n\n```sh account\nls\n```\n\nx\n\n```ts quickstart a.ts\n1\n```\n',
    )
    const captions = [...html.matchAll(/<figcaption>([^<]*)/g)].map(([, caption]) => caption)
    expect(captions).toEqual(['Output', 'Needs a Cloudflare account', 'a.ts'])
  })
})

describe('blocks in several languages', () => {
  const blocks = '```ts local\n1\n```\n\n```text output\n1\n```\n\n```py local\n2\n```\n'
  const namesIn = (html: string) =>
    [...html.matchAll(/<div class="variant" data-name="([^"]+)"/g)].map(([, name]) => name)

  it('are variants of one thing, each with its output', () => {
    const { html } = renderMarkdown(`# A\n\n${blocks}\ntext\n`)
    expect(namesIn(html)).toEqual(['TypeScript', 'Python'])
    expect(html.split('data-name="Python"')[0]).toContain('class="code output"')
    expect(html.indexOf('text</p>')).toBeGreaterThan(html.indexOf('</div>'))
  })

  it('are steps if there is text between them, or the language is the same', () => {
    expect(namesIn(renderMarkdown('# A\n\n```ts local\n1\n```\n\nThen:\n\n```sh local\n2\n```\n').html)).toEqual([])
    expect(namesIn(renderMarkdown('# A\n\n```ts local\n1\n```\n\n```ts local\n2\n```\n').html)).toEqual([])
  })
})

describe('a diagram', () => {
  const diagram = (lines: string) => `# A\n\n\`\`\`mermaid\nflowchart LR\n${lines}  a["One"] --> b["Two"]\n\`\`\`\n`
  const said = '  accTitle: Two boxes\n  accDescr: One leads to two.\n'

  it('is a picture with what it says in words', () => {
    const { html, pictures } = renderMarkdown(diagram(said))
    expect(html).toMatch(
      /<img src="\/assets\/picture-[0-9a-f]{12}\.svg" alt="Two boxes\. One leads to two\." width="\d+" height="\d+"/,
    )
    expect(pictures.map(({ path }) => html.includes(path))).toEqual([true])
  })

  it('takes its colors from the page, and loads nothing from elsewhere', () => {
    const [picture] = renderMarkdown(diagram(said)).pictures
    expect(picture?.svg).toContain('prefers-color-scheme: dark')
    expect(picture?.svg).not.toMatch(/@import|url\(['"]?http|accTitle|Two boxes/)
  })

  it('cannot be shown without words', () =>
    expect(() => renderMarkdown(diagram(''), 'a.md')).toThrow('a.md: a diagram needs accTitle and accDescr'))
})
