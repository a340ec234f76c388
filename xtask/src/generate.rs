//! A large model, like those that tools write.

use std::fmt::Write;

/// A model of this many templates, with edges spread evenly over them. Every kind of label
/// occurs; the system instantiates each template once.
pub(crate) fn model(templates: usize, edges: usize) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<nta>\n<declaration>const int N = 8;\n\
         typedef int[0,N-1] id_t;\nint[0,100] shared[id_t];\nbroadcast chan tick[id_t];\n\
         int[0,1000] total;\nint next(int i) { return (i + 1) % N; }\n</declaration>\n",
    );
    let templates = templates.max(1);
    for template in 0..templates {
        let count = edges / templates + usize::from(template < edges % templates);
        one(&mut out, template, count);
    }
    out.push_str("<system>system ");
    for template in 0..templates {
        let separator = if template == 0 { "" } else { ", " };
        let _ = write!(out, "{separator}T{template}");
    }
    out.push_str(";</system>\n</nta>\n");
    out
}

fn one(out: &mut String, template: usize, edges: usize) {
    let locations = (edges / 3).max(1);
    let _ = write!(
        out,
        "<template>\n<name x=\"0\" y=\"0\">T{template}</name>\n\
         <declaration>clock x, y;\nint[0,255] count;\n\
         void bump(int by) {{ count = (count + by) % 256; }}</declaration>\n"
    );
    for location in 0..locations {
        let (x, y) = (location % 20 * 150, location / 20 * 150);
        let _ = writeln!(
            out,
            "<location id=\"t{template}l{location}\" x=\"{x}\" y=\"{y}\">\
             <name x=\"{x}\" y=\"{y}\">L{location}</name>\
             <label kind=\"invariant\" x=\"{x}\" y=\"{}\">x &lt;= {} &amp;&amp; y &lt;= 500</label>\
             </location>",
            y + 20,
            10 + location % 90,
        );
    }
    let _ = writeln!(out, "<init ref=\"t{template}l0\"/>");
    for edge in 0..edges {
        let (source, target) = (edge % locations, (edge * 7 + 3) % locations);
        let _ = writeln!(
            out,
            "<transition><source ref=\"t{template}l{source}\"/>\
             <target ref=\"t{template}l{target}\"/>\
             <label kind=\"select\">i : id_t</label>\
             <label kind=\"guard\">x &gt;= {} &amp;&amp; shared[i] &lt; {} &amp;&amp; \
             count != {}</label>\
             <label kind=\"synchronisation\">tick[i]{}</label>\
             <label kind=\"assignment\">x = 0, shared[next(i)] = (shared[i] + {}) % 100, \
             bump({})</label>\
             <nail x=\"{}\" y=\"{}\"/></transition>",
            edge % 10,
            edge % 100,
            edge % 256,
            if edge % 2 == 0 { "!" } else { "?" },
            edge % 17,
            edge % 5,
            edge % 300,
            edge % 200,
        );
    }
    out.push_str("</template>\n");
}
