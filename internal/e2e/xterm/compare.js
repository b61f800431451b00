// Replays two parts of a terminal's bytes and counts the cells that the second, a full
// redraw, changes: node compare.js COLUMNS ROWS FILE LENGTH-OF-THE-FIRST-PART
const { Terminal } = require('@xterm/headless');
const fs = require('fs');
const [cols, rows, file, first] = process.argv.slice(2);
const term = new Terminal({ cols: +cols, rows: +rows, allowProposedApi: true });
const bytes = fs.readFileSync(file);

function screen() {
  const buffer = term.buffer.active, cells = [];
  for (let y = 0; y < +rows; y++) {
    const line = buffer.getLine(buffer.baseY + y);
    for (let x = 0; x < +cols; x++) {
      const c = line.getCell(x);
      const seen = (c.getChars() || ' ') !== ' ' || c.isInverse() || c.isUnderline() || c.isStrikethrough();
      const fg = seen ? [c.getFgColorMode(), c.getFgColor(), c.isBold()] : []; // of a blank nobody sees the ink
      const look = [...fg, c.getBgColorMode(), c.getBgColor(), c.isInverse(), c.isUnderline(), c.isStrikethrough()];
      cells.push(JSON.stringify([c.getChars() || ' ', c.getWidth(), ...look]));
    }
  }
  return cells;
}

term.write(bytes.subarray(0, +first), () => {
  const before = screen();
  term.write(bytes.subarray(+first), () => {
    const after = screen();
    const differing = [];
    after.forEach((cell, i) => { if (cell !== before[i]) differing.push([i % +cols, Math.floor(i / +cols), before[i], cell]); });
    const text = after.map((c) => JSON.parse(c)[0]).join('').trim();
    console.log(JSON.stringify({ cells: after.length, written: text.length, differing: differing.length, some: differing.slice(0, 5) }));
  });
});
