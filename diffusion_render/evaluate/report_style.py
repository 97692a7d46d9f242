"""The report's style sheet."""

STYLE = """
:root { color-scheme: dark; }
body { background: #14161a; color: #e2e4e8; font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1500px;
       padding: 0 1.5rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
section { border-top: 1px solid #2c3038; }
table { border-collapse: collapse; margin: .6rem 0; }
th, td { padding: .25rem .7rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
tr:nth-child(even) { background: #1b1e24; }
th { font-weight: 600; color: #b9bec8; } th small { display: block; font-weight: 400; color: #7d8594; }
th i { display: inline-block; width: .7rem; height: .7rem; border-radius: 50%; margin-right: .5rem; }
b.yes { color: #4cc38a; } b.no { color: #ff7a59; } b.none { color: #7d8594; font-weight: 400; }
.doubt { background: #3a2f12; padding: .5rem .8rem; border-radius: 6px; }
.note { color: #9aa2b1; margin: .2rem 0; } a { color: #7fb2ff; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: #9aa2b1; }
.facts dd { margin: 0; color: #e2e4e8; }
.sheet { overflow-x: auto; } .sheet td { padding: 2px; } .sheet tr { background: none; }
.sheet img { display: block; width: 250px; } .sheet th { text-align: left; }
.charts { display: flex; flex-wrap: wrap; gap: .6rem; margin: .8rem 0; }
svg { background: #1b1e24; border-radius: 6px; }
svg text { fill: #9aa2b1; font-size: 11px; } svg text.title { fill: #e2e4e8; font-size: 12px; }
svg text.tick { text-anchor: end; }
svg line { stroke: #2c3038; } svg line.goal { stroke: #e2e4e8; stroke-dasharray: 4 4; }
svg polyline { fill: none; stroke-width: 1.6; }
footer { margin-top: 3rem; color: #7d8594; }
"""
