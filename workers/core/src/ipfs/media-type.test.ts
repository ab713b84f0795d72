import { describe, expect, it } from 'vitest'
import { mediaTypeOf } from './media-type.ts'

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

describe('mediaTypeOf', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xdb', 'image/jpeg'],
    ['GIF87a', 'image/gif'],
    ['GIF89a', 'image/gif'],
    ['RIFF\0\0\0\0WEBP', 'image/webp'],
    ['RIFF\0\0\0\0WAVE', 'application/octet-stream'],
    ['\0\0\0\x1cftypavif', 'image/avif'],
    ['\0\0\0\x18ftypmp42', 'video/mp4'],
    ['\x1a\x45\xdf\xa3', 'video/webm'],
    ['ID3\x04', 'audio/mpeg'],
    ['%PDF-1.4', 'application/pdf'],
  ])('knows a file by its signature: %j', (head, type) => {
    expect(mediaTypeOf(latin1(head))).toBe(type)
  })

  it.each([
    '<!DOCTYPE html><p>',
    '  \n<html>',
    '<HTML lang="en">',
    '<script>alert(1)</script>',
    '<head>',
    '<body onload=x>',
    '\xef\xbb\xbf<!doctype html>',
  ])('names as HTML what would run as HTML: %j', (head) => {
    expect(mediaTypeOf(latin1(head))).toBe('text/html; charset=utf-8')
  })

  it.each([
    '<svg onload="alert(1)">',
    '<?xml version="1.0" encoding="UTF-8"?>\n<svg>',
    '<?xml version="1.0"?><!-- made by a program --><!DOCTYPE svg PUBLIC "a" "b">\n<svg>',
  ])('names as SVG what is SVG: %j', (head) => {
    expect(mediaTypeOf(latin1(head))).toBe('image/svg+xml')
  })

  it.each(['', 'plain text', '<svgish>', '<htmlx>', '{"a":1}', '<p>', '<?xml version="1.0"?><rss>', 'x<html>'])(
    'does not recognize anything else: %j',
    (head) => {
      expect(mediaTypeOf(latin1(head))).toBe('application/octet-stream')
    },
  )
})
